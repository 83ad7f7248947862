package codeplay

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/sandbox"
)

// tries is how often a cell is run whose session the machine loses.
const tries = 3

// A notebook is the Python of one episode: a session, which is opened for the first cell, and opened
// again if the machine loses it, with all cells run again.
type notebook struct {
	on    sandbox.Opener
	spec  sandbox.Spec
	slots chan struct{} // full: as many cells run as may at once
	fresh bool          // each cell begins anew

	session sandbox.Session // nil: none is open
	cells   []cell          // what the state is made of
}

// A cell has run.
type cell struct {
	text string
	sum  [sha256.Size]byte // of its result
}

// run runs a cell. It reports whether the state is lost by the cell's own doing. An error says
// nothing about the cell: the machine failed, and has [quintain.ErrLost], or ctx ended.
func (n *notebook) run(ctx context.Context, text string) (got sandbox.Result, lost bool, err error) {
	select {
	case n.slots <- struct{}{}:
		defer func() { <-n.slots }()
	case <-ctx.Done():
		return got, false, context.Cause(ctx)
	}
	for range tries {
		if err = n.open(ctx); err == nil {
			got, err = n.session.Run(ctx, text, sandbox.Limits{})
		}
		if err == nil {
			break
		}
		err = errors.Join(err, n.Close())
		if ctx.Err() != nil {
			return got, false, context.Cause(ctx)
		}
	}
	switch {
	case err != nil:
		return got, false, fmt.Errorf("the sandbox: %w: %w", quintain.ErrLost, err)
	case got.Over || n.fresh:
		n.cells, lost = nil, got.Over && !n.fresh
		err = n.Close()
	case got.End != sandbox.Refused:
		n.cells = append(n.cells, cell{text, sum(got)})
	}
	if err != nil { // the next cell has a session of its own
		err = fmt.Errorf("the sandbox: %w: %w", quintain.ErrLost, err)
	}
	return got, lost, err
}

// open opens a session, unless one is open, and runs the cells again that ran before. If one of them ends
// otherwise, as with the time of day, the state that the policy knows cannot be made again.
func (n *notebook) open(ctx context.Context) (err error) {
	if n.session != nil {
		return nil
	}
	if n.session, err = n.on.Open(ctx, n.spec); err != nil {
		n.session = nil
		return err
	}
	for i, c := range n.cells {
		got, err := n.session.Run(ctx, c.text, sandbox.Limits{})
		if err != nil {
			return err
		}
		if sum(got) != c.sum {
			return fmt.Errorf("cell %d of %d ends otherwise when it is run again", i+1, len(n.cells))
		}
	}
	return nil
}

// Close closes the session, if one is open.
func (n *notebook) Close() (err error) {
	if n.session != nil {
		err, n.session = n.session.Close(), nil
	}
	return err
}

// sum is that of all that the policy is told of a result.
func sum(r sandbox.Result) [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%s %d %v %q %q", r.End, r.Code, r.Over, r.Stdout, r.Stderr))
}
