package fleet

import (
	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/run/rollout"
)

// Paths of the coordinator, below the address of the hub. {instance} and {number} stand for
// one part each.
const (
	PathPlay    = "/v1/runs/{run}/play"                    // GET: a Play
	PathWorkers = "/v1/runs/{run}/workers"                 // POST a Registration: a Welcome. GET: a [roster.Roster]
	PathWorker  = "/v1/runs/{run}/workers/{instance}"      // DELETE: the worker ends, or has heard that the run is over; what it holds is granted to others
	PathBeat    = "/v1/runs/{run}/workers/{instance}/beat" // POST a Beat: an Answer
	PathLeases  = "/v1/runs/{run}/leases"                  // POST ?instance=&max=&wait=: a Grant of up to max groups, or of problems of an evaluation with as many episodes; exams=only: of these alone
	PathWeights = "/v1/runs/{run}/weights"                 // GET ?after=&wait=: a weights file with a version other than after; 204: none
	PathFinish  = "/v1/runs/{run}/leases/{number}/finish"  // POST a Finish: a Verdict
	PathTurns   = "/v1/runs/{run}/leases/{number}/turns"   // POST Turns: Kept. GET ?instance=: all Turns. Both as [Frame]; 507: there is no room for more of this lease
)

// HeaderProcess is a header of each reply of a coordinator. It tells its process from others at
// the same address: another one has taken the run over.
const HeaderProcess = "Quintain-Process"

// A Play is what a worker needs to play for a run.
type Play struct {
	Program  string `json:"program"`        // name and version of the coordinator's program
	Tasks    string `json:"tasks"`          // digest of the problems, see [Digest]
	Runs     string `json:"runs,omitempty"` // what runs programs in the episodes, see [Runs]
	Settings string `json:"settings"`       // the coordinator's settings file, without those of its own machine

	Policy player.Identity `json:"policy"` // as far as the settings tell it
}

// A Registration introduces a worker.
type Registration struct {
	Instance string `json:"instance"` // of this process alone: 16 to 64 letters and digits, at random
	Name     string `json:"name"`     // for people, such as the host's
	Slots    int    `json:"slots"`    // episodes at once
	Program  string `json:"program"`
	Tasks    string `json:"tasks"`
	Runs     string `json:"runs,omitempty"`

	Policy player.Identity `json:"policy"` // with the name of the model that the inference server has
}

// A Welcome answers a registration.
type Welcome struct {
	Lease   float64 `json:"lease_seconds"` // without a sign of life for so long, a worker loses what it holds
	Beat    float64 `json:"beat_seconds"`  // between signs of life; a worker without leases that waits for one may spare each second
	Version int     `json:"version"`       // of the weights that the policy samples with, as told to the run; -1: unknown

	// Servers are the versions told for single servers, by their addresses. They go before
	// Version, and after what a server reports itself.
	Servers map[string]int32 `json:"servers,omitempty"`

	// Oldest is the oldest version whose tokens may still be trained on. Servers with older weights
	// get no requests while the worker has others.
	Oldest int `json:"oldest,omitempty"`
}

// A Lease is a problem given to a worker, which plays the whole group; or one of an evaluation, whose
// episodes the coordinator judges and nobody trains on.
type Lease struct {
	Number  uint64           `json:"number"`  // never used twice in a run
	Attempt int              `json:"attempt"` // at this problem, from 1
	Stream  int              `json:"stream"`  // number of the stream among those of the settings
	Problem quintain.Problem `json:"problem"`
	Begun   bool             `json:"begun,omitempty"` // other workers played turns of it: PathTurns has them
	Exam    int              `json:"exam,omitempty"`  // episodes to play for an evaluation; 0: a group of the run
	Span    string           `json:"span,omitempty"`  // of the lease, in the form of the header traceparent; empty: nobody traces it
}

// Turns are those of episodes that are under way: what is new since the last ones, or all.
type Turns struct {
	Instance string          `json:"instance,omitempty"`
	Episodes []rollout.Begun `json:"episodes"` // without their problems
}

// Kept answers turns: how far the episodes are that the coordinator keeps. A worker goes on from
// there with the next ones, since a coordinator that was started anew has none.
type Kept struct {
	Episodes map[int]rollout.Mark `json:"episodes"`
}

// A Grant answers a worker that asks for leases: it has none after the wait if none may begin.
type Grant struct {
	Leases  []Lease          `json:"leases"`
	Version int              `json:"version"` // as the next two, see [Welcome]
	Servers map[string]int32 `json:"servers,omitempty"`
	Oldest  int              `json:"oldest,omitempty"`
	Over    string           `json:"over,omitempty"` // see Answer
}

// A Beat is a sign of life, with the numbers of the leases that the worker holds. A coordinator
// that has taken these over learns from it who the worker is.
type Beat struct {
	Name   string   `json:"name,omitempty"`
	Slots  int      `json:"slots,omitempty"`
	Leases []uint64 `json:"leases"`

	Policy player.Identity `json:"policy"`

	Servers map[string]Server `json:"servers,omitempty"` // inference servers that answer the worker, by their addresses
}

// A Server is what a worker knows of an inference server.
type Server struct {
	Version int32 `json:"version"`          // of its weights, as it reports itself; -1: it reports none
	Unused  bool  `json:"unused,omitempty"` // it gets no requests, because its weights are too old
}

// An Answer is that to a beat.
type Answer struct {
	Gone    []uint64         `json:"gone,omitempty"` // of the leases that it named: no longer its own
	Version int              `json:"version"`        // as the next two, see [Welcome]
	Servers map[string]int32 `json:"servers,omitempty"`
	Oldest  int              `json:"oldest,omitempty"`
	Over    string           `json:"over,omitempty"` // why the run is over: the worker holds nothing any more, and takes leave; a registration gets 410. Empty: it is not
}

// A Finish closes a lease.
type Finish struct {
	Instance string                `json:"instance"`
	Returned bool                  `json:"returned,omitempty"` // not played: another worker gets the problem
	Again    bool                  `json:"again,omitempty"`    // see [rollout.Result]
	Drop     rollout.Drop          `json:"drop,omitempty"`     // see [rollout.Result]
	Episodes []quintain.Trajectory `json:"episodes,omitempty"` // as many as the group or [Lease] has, without their problems
}

// A Verdict answers a finish, the same one however often it is repeated.
type Verdict struct {
	Drop rollout.Drop `json:"drop,omitempty"` // why there is no group; empty: it is kept
}
