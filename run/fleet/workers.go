package fleet

import "time"

// A Roster lists the workers of a run. Its counts, and what it lists of the past, are those
// since the coordinator's process began.
type Roster struct {
	Workers []Worker       `json:"workers"`        // by name
	Lost    []Worker       `json:"lost,omitempty"` // the last that gave no sign of life, the newest first
	Held    int            `json:"held"`           // leases that workers hold
	Oldest  []HeldLease    `json:"oldest"`         // the first of these to be granted
	Granted int            `json:"granted"`        // leases
	Ended   map[Ending]int `json:"ended"`          // leases
	Poison  []Poison       `json:"poison,omitempty"`

	Wanted        int `json:"wanted_slots"`   // episodes that may be under way
	WantedWorkers int `json:"wanted_workers"` // that could play these episodes
}

// Bounds on the lists of a roster.
const (
	MostOldest = 100
	MostLost   = 50
	MostPoison = 100
)

// An Ending is what became of a lease.
type Ending string

// What becomes of leases.
const (
	Played   Ending = "played"
	Returned Ending = "returned" // not played: another worker gets the problem
	Expired  Ending = "expired"  // its worker was lost
	Fenced   Ending = "fenced"   // finished when it was no longer the worker's own
	Lie      Ending = "lie"      // finished with what cannot be
)

// Endings lists all of them.
func Endings() []Ending { return []Ending{Played, Returned, Expired, Fenced, Lie} }

// A Worker is what a coordinator knows of a worker.
type Worker struct {
	Instance string    `json:"instance"`
	Name     string    `json:"name"`
	Model    string    `json:"model,omitempty"`    // that plays; of other policies than an inference server's, the kind
	Slots    int       `json:"slots"`              // episodes at once
	Leases   int       `json:"leases"`             // that it holds
	Groups   int       `json:"groups"`             // that it played
	Examined int       `json:"examined,omitempty"` // problems of evaluations that it played
	Returned int       `json:"returned"`
	Expired  int       `json:"expired"` // that it held when it was lost
	Fenced   int       `json:"fenced"`
	Since    time.Time `json:"since"`
	LastSeen time.Time `json:"last_seen"`
	Fault    string    `json:"fault,omitempty"` // why it gets nothing more
}

// A HeldLease is a problem that a worker holds.
type HeldLease struct {
	Number  uint64    `json:"number"`
	Attempt int       `json:"attempt"`
	Problem string    `json:"problem"`        // its ID
	Worker  string    `json:"worker"`         // its name
	Exam    bool      `json:"exam,omitempty"` // of an evaluation
	Since   time.Time `json:"since"`          // granted, or taken over by this process
}

// A Poison is a problem that was given up, since it lost too many workers.
type Poison struct {
	Problem string    `json:"problem"` // its ID
	Workers int       `json:"workers"` // that it lost
	At      time.Time `json:"at"`
}
