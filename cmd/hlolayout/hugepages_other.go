//go:build !linux

package main

// Other systems have no advice of this kind, or need none.
func adviseHuge([]byte) {}
func growHeap(int64)    {}
