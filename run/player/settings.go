package player

import (
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/interop/export"
	"github.com/quintain-rl/quintain/run"
)

// RunSettings are the settings of a run, of who plays it, and of who takes its batches.
type RunSettings struct {
	Of       run.Settings
	Consumer string // Builtin or Hub
	Gateway  bool   // agents elsewhere play, by sessions
	Workers  bool   // workers elsewhere play, by leases
	Report   string // file for the report; empty: none
	Records  string // ArealPrefix and an [export.Mode]; empty: none

	KeepWeights int // versions from one whose weights are kept to the next; 0: none is, but those that play
}

// ArealPrefix stands before a mode of AReaL's records in RunSettings.Records.
const ArealPrefix = "areal-"

// Who takes the batches of a run.
const (
	Builtin = "builtin" // the run's own program
	Hub     = "hub"     // a trainer at the hub
)

// Declare implements [settings.Declarer].
func (r *RunSettings) Declare(d *settings.Section) {
	r.Of.Declare(d)
	d.Text(&r.Consumer, "consumer", "who takes the batches: this program, or a trainer at the hub").OneOf(Builtin, Hub).Flag("consumer")
	d.Bool(&r.Gateway, "gateway", "hand the problems to agents elsewhere, which call the policy by sessions of their own (docs/gateway.md), in place of playing them here").Flag("gateway")
	d.Bool(&r.Workers, "workers", "lease the problems to workers elsewhere, quintain worker (docs/fleet.md), in place of playing them here").Flag("workers")
	d.Text(&r.Report, "report", "file for a report of the run as JSON").Flag("report")
	d.Int(&r.KeepWeights, "keep_weights", "keep the weights of the first version of the tiny policy and of every so many after it, below the data folder; 0: only of those that play as frozen:VERSION").AtLeast(0)
	records := []string{""}
	for _, mode := range export.Modes {
		records = append(records, ArealPrefix+string(mode))
	}
	d.Text(&r.Records, "records", "form of AReaL in which to keep episodes too, below the data folder; empty: none").OneOf(records...)
}

// Check implements [settings.Checker].
func (r *RunSettings) Check() error { return r.Of.Check() }
