package main

import (
	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/policy/weights"
)

// sampled is a run of the hub that knows the servers of its policy.
type sampled struct {
	*hub.Run
	lowest func() int32
}

// Lowest implements [run.Trainer].
func (s sampled) Lowest() int {
	if lowest := s.lowest(); lowest != weights.Unknown {
		return int(lowest)
	}
	return s.Version()
}

// lowest is the lowest version on the servers that sample; [weights.Unknown]: nobody knows it.
func (a *runner) lowest() int32 {
	switch {
	case a.leases != nil:
		return a.leases.Lowest()
	case a.server != nil:
		return a.server.Lowest()
	}
	return weights.Unknown
}

// oldest is the oldest version whose tokens the trainer at the hub may still train on.
func (a *runner) oldest() int { return a.host.Hub().Default().Step() - a.config.Run.Of.MaxLag }

// told is the version of the weights on the server at an address, unless the server reports it:
// the version that a trainer told, or unknown.
func (a *runner) told(url string) int32 {
	if a.config.Run.Consumer == consumerBuiltin {
		return weights.Unknown
	}
	return a.host.Hub().Default().Told().Of(url)
}
