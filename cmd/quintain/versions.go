package main

import (
	"github.com/quintain-rl/quintain/policy/remote"
	"github.com/quintain-rl/quintain/run/player"
)

// oldest is the oldest version whose tokens the trainer at the hub may still train on.
func (a *runner) oldest() int { return a.host.Hub().Default().Step() - a.config.Run.Of.MaxLag }

// told is the version of the weights on the server at an address, unless the server reports it:
// the version that a trainer told, or unknown.
func (a *runner) told(url string) int32 {
	if a.config.Run.Consumer == player.Builtin {
		return remote.UnknownVersion
	}
	return a.host.Hub().Default().Weights().Told().Of(url)
}
