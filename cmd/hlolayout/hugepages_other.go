//go:build !linux

package main

// useHugePages does nothing: only Linux takes such advice.
func useHugePages(int64) {}
