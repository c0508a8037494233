//go:build !linux

package main

import (
	"errors"
	"os"
)

func createUnnamed(string, os.FileMode) (*os.File, error) { return nil, errors.ErrUnsupported }

func giveName(*os.File, string) error { return errors.ErrUnsupported }
