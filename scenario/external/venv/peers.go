package venv

import (
	"fmt"
	"slices"
	"strings"
)

// A Peer is what a scheme's adapter was tried with.
type Peer struct {
	Scheme   string
	Packages []string // pinned, the one with the environments first
	Python   string   // versions that they run on
	Confined bool     // its environments need no network, and run in the sandbox
	Room     int      // on the disk, of the packages as they are installed, in MiB
}

// Peers returns the schemes whose environments are Python packages, sorted.
func Peers() []Peer {
	return []Peer{
		{"gem", []string{"gem-llm==0.1.0"}, ">=3.10,<3.13", true, 350},
		{"gymnasium", []string{"gymnasium[toy-text]==1.4.0"}, ">=3.10,<3.14", true, 115},
		{"inspect", []string{"inspect-ai==0.3.285", "openai==3.57.0"}, ">=3.10,<3.14", false, 300},
		{"mcp", []string{"mcp==2.3.0"}, ">=3.10,<3.14", false, 45},
		{"nemogym", []string{"nemo-gym==0.4.0"}, ">=3.12,<3.14", false, 1335},
		{"openenv", []string{"openenv==0.10.0"}, ">=3.10,<3.14", false, 455},
		{"reasoning_gym", []string{"reasoning-gym==0.1.25"}, ">=3.11,<3.14", true, 320},
		{"textarena", []string{"textarena==0.7.4"}, ">=3.10,<3.14", true, 125},
		{"verifiers", []string{"verifiers==0.4.0"}, ">=3.11,<3.14", false, 545},
	}
}

// Find returns the peer of a scheme.
func Find(scheme string) (Peer, error) {
	all := Peers()
	i := slices.IndexFunc(all, func(p Peer) bool { return p.Scheme == scheme })
	if i < 0 {
		return Peer{}, fmt.Errorf("%s: has nothing to install, for its environments are programs or servers", scheme)
	}
	return all[i], nil
}

// Versions returns the names of packages with their versions, such as textarena 0.7.4.
func (p Peer) Versions() string {
	return strings.ReplaceAll(strings.Join(p.Packages, ", "), "==", " ")
}
