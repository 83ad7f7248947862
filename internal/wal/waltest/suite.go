package waltest

import (
	"fmt"
	"slices"
	"syscall"
	"testing"

	"pgregory.net/rapid"
)

// A Keeper keeps words in a log, for good once Add returns.
type Keeper interface {
	// Add adds a word. An error means that it is not there; only if the process ends before
	// another Add succeeds may it be.
	Add(word string) error
	Close() error
}

// Run holds what opens on a disk, and returns the words that are there in their order, to its
// promises: whichever call of the disk fails, a few times or for ever, or with a full disk of any
// size, and whether the process is killed then or the power is cut, all that was added is there,
// nothing else, and it goes on as soon as the disk does. It plays 100 lives for each of the five
// ways to fail; -rapid.checks has it play more.
func Run(t *testing.T, open func(*Disk) (Keeper, []string, error)) {
	calls := callsOf(t, open)
	for _, fails := range []int{1, 2, 3, -1} {
		rapid.Check(t, func(rt *rapid.T) {
			l := life{T: rt, open: open, d: New()}
			l.begin()
			l.d.Skip, l.d.Fails = rapid.IntRange(0, calls-1).Draw(rt, "calls"), fails
			l.d.Err = rapid.SampledFrom([]error{syscall.EIO, syscall.ENOSPC}).Draw(rt, "fault")
			l.add(words, fails)
			l.die()
			l.begin() // what is read now stays
			l.add(3, 0)
			l.d = l.d.Crash(rt, true)
			l.begin()
		})
	}
	rapid.Check(t, func(rt *rapid.T) {
		l := life{T: rt, open: open, d: New()}
		l.begin()
		l.d.Room(rapid.IntRange(0, 600).Draw(rt, "room"))
		l.add(words, -1)
		l.d.Room(-1)
		l.add(3, 0)
		l.die()
		l.begin()
	})
}

// words is how many words a life adds.
const words = 8

// callsOf counts the writing operations of a life without faults.
func callsOf(t *testing.T, open func(*Disk) (Keeper, []string, error)) int {
	d := New()
	k, _, err := open(d)
	if err != nil {
		t.Fatal(err)
	}
	before := d.Calls
	for i := range words {
		if err := k.Add(word(i)); err != nil {
			t.Fatal(err)
		}
	}
	return d.Calls - before
}

func word(i int) string { return fmt.Sprintf("word %d", i) }

// A life is that of a process.
type life struct {
	*rapid.T
	open func(*Disk) (Keeper, []string, error)
	d    *Disk

	keeper Keeper
	kept   []string // what is there
	maybe  []string // what may be, after it
	next   int
}

// begin opens, and compares.
func (l *life) begin() {
	k, got, err := l.open(l.d)
	if err != nil {
		l.Fatal(err)
	}
	if n := len(l.kept); len(got) < n || !slices.Equal(got[:n], l.kept) || !isPrefix(got[n:], l.maybe) {
		l.Fatalf("there is %q, want %q and perhaps %q", got, l.kept, l.maybe)
	}
	l.keeper, l.kept, l.maybe = k, got, nil
}

// isPrefix reports whether a few words come one after another in others.
func isPrefix(few, others []string) bool {
	for _, w := range few {
		i := slices.Index(others, w)
		if i < 0 {
			return false
		}
		others = others[i+1:]
	}
	return true
}

// add adds words. So many may fail; negative: all.
func (l *life) add(n, most int) {
	failed := 0
	for range n {
		w := word(l.next)
		l.next++
		if l.keeper.Add(w) != nil {
			failed++
			l.maybe = append(l.maybe, w)
			continue
		}
		l.kept, l.maybe = append(l.kept, w), nil
	}
	if most >= 0 && failed > most {
		l.Fatalf("%d additions failed", failed)
	}
}

// die ends the process: by itself, killed, or with the power.
func (l *life) die() {
	switch rapid.SampledFrom([]string{"closed", "killed", "power cut"}).Draw(l.T, "end") {
	case "closed":
		l.d.Heal()
		_ = l.keeper.Close() // may fail after a fault
	case "killed":
		l.d = l.d.Crash(l.T, false)
	default:
		l.d = l.d.Crash(l.T, true)
	}
	l.d.Heal()
}
