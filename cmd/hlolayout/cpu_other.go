//go:build !unix

package main

import "time"

// cpuTime returns 0: the standard library has no portable measure of processor time.
func cpuTime() time.Duration { return 0 }
