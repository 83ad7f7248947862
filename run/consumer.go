package run

import "context"

// A Trainer is who trains on the groups of a run. The zero value takes batches and trains nothing.
type Trainer struct {
	// Consumer takes the groups. Nil: Train(nil).
	Consumer Consumer

	// Allocator shares the problems of the run's streams with other runs of the trainer. Nil: all are
	// the run's.
	Allocator Allocator

	// Exams are held when the trainer wants them, in place of those of the settings. Nil: it wants none.
	Exams *Exams
}

// A Consumer takes the groups of a run: [Train] trains on them in this process, [Follow]
// leaves them to a trainer elsewhere, and [Send] sends them elsewhere. It serves one run.
type Consumer interface {
	// resume gives the consumer its run, before the record of the run is read. It returns
	// the last step that the consumer has kept; nil: it keeps none.
	resume(r *Run) *checkpoint

	// begin is called once the record is read, before the first group starts.
	begin()

	// version returns the version of the weights that the policy samples with; -1: unknown.
	version() int

	// trained counts the training steps before the one that takes the next batch.
	trained() int

	// enter waits until another group may start. If ctx ends first, it returns its cause.
	enter(ctx context.Context) error

	// ended says how many episodes of what entered were kept in groups.
	ended(kept int)

	// consume takes groups until ctx ends or the consumer wants no more. Played is closed
	// when no more groups come.
	consume(ctx context.Context, played <-chan struct{}) error
}

// gated is the common part of consumers of batches: the gate lets groups in, and the
// ledger counts the steps.
type gated struct{ *Run }

func (g *gated) begin()       {}
func (g *gated) version() int { return g.ledger.version() }
func (g *gated) trained() int { return g.ledger.version() }

func (g *gated) enter(ctx context.Context) error {
	return g.ledger.gate.Enter(ctx, g.entering())
}

func (g *gated) ended(kept int) { g.ledger.gate.Leave(g.entering() - kept) }
