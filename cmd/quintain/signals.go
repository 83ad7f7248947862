package main

import (
	"os"
	"os/signal"
	"syscall"
)

// notify returns the channel on which the signals that end the program come: room
// for two, as the second cuts what the first only stops.
func notify() <-chan os.Signal {
	c := make(chan os.Signal, 2)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	return c
}
