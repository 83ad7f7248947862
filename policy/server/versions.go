package server

import (
	"context"
	"slices"
	"time"

	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/policy/pool"
	"github.com/quintain-rl/quintain/policy/remote"
)

// follow looks at the versions of the servers' weights once a second until ctx ends.
func (s *Server) follow(ctx context.Context) error {
	if !s.use.Trainer {
		<-ctx.Done()
		return nil
	}
	last, before := int32(remote.UnknownVersion), int32(remote.UnknownVersion-1)
	for {
		s.pool.Ask(ctx)
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the end of ctx is none
		}
		all := s.pool.Versions()
		if version := said(all); version > last {
			last = version
			s.tell(ctx, version)
		}
		s.note(all)
		s.compareVersions(all)
		if now := lowest(all); now != before && s.use.Moved != nil {
			before = now
			s.use.Moved()
		}
		if !pause.For(ctx, time.Second) {
			return nil
		}
	}
}

// said returns the version that all servers in use report, or newer ones; [remote.UnknownVersion] if
// one reports none.
func said(all []pool.Weights) int32 {
	if slices.ContainsFunc(all, func(w pool.Weights) bool { return w.Used && !w.Said }) {
		return remote.UnknownVersion
	}
	return lowest(all)
}

// lowest is the lowest version on the servers in use, or [remote.UnknownVersion].
func lowest(all []pool.Weights) int32 {
	return remote.Lowest(func(yield func(int32) bool) {
		for _, w := range all {
			if w.Used && !yield(w.Version) {
				return
			}
		}
	})
}

// tell passes on a version that all servers report.
func (s *Server) tell(ctx context.Context, version int32) {
	if s.use.Told == nil {
		return
	}
	if err := s.use.Told(ctx, version); err != nil {
		s.use.Log.Warn("the weight version that the policy's server reports is not accepted", "version", version, "err", err)
	}
}

// note notes how far each server lags.
func (s *Server) note(all []pool.Weights) {
	of := map[string]int32{}
	for _, w := range all {
		of[w.URL] = w.Version
	}
	s.lags.Note(of, s.told(""), time.Now())
}

// told is the version told for the server at an address.
func (s *Server) told(url string) int32 {
	if s.use.Version == nil {
		return remote.UnknownVersion
	}
	return s.use.Version(url)
}

// Versions returns the versions on the servers that are up, as last reported or told.
func (s *Server) Versions() []pool.Weights {
	if !s.isReady() || s.pool == nil {
		return nil
	}
	return s.pool.Versions()
}

// Lowest is the lowest version on the servers in use, or [remote.UnknownVersion]. Servers of unknown
// versions do not count.
func (s *Server) Lowest() int32 { return lowest(s.Versions()) }

// compareVersions says when a server's version stays behind what the trainer told for it: the one
// that is the farthest behind.
func (s *Server) compareVersions(all []pool.Weights) {
	says, told := int32(remote.UnknownVersion), s.told("")
	for _, w := range all {
		if should := s.told(w.URL); w.Said && (says == remote.UnknownVersion || should-w.Version > told-says) {
			says, told = w.Version, should
		}
	}
	s.mu.Lock()
	tell := s.versions.note(says, told)
	text := s.versions.String()
	s.mu.Unlock()
	if tell {
		s.say("warning: %s: its samples count as old, and beyond max_lag nobody trains on them; set the server's version when it gets weights (/update_weight_version, or weight_version)", text)
	}
}
