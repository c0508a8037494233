package main

// deepen has the stack of a goroutine grow at once to what a command needs: its frame is larger than the room that is
// left. By itself the stack would grow there by doubling, and copy its frames each time by tables that small modules
// need for nothing else, in a twentieth of their time. With a negative argument the room is not used.
//
//go:noinline
func deepen(at int) byte {
	if at < 0 {
		return 0
	}
	var room [20 << 10]byte
	return room[at]
}
