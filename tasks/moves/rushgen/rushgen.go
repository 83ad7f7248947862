// Rushgen makes the boards of the task rush_hour:
//
//	go run ./tasks/moves/rushgen -seed 1 -climbs 2000 > tasks/moves/rush_boards.txt.gz
//
// Each climb begins with a random board, and repeatedly changes a piece or a wall; it undoes a
// change that makes the board easier. To measure a board, it searches all reachable positions;
// it writes the one farthest from the exit, with the moves of a shortest solution. The same
// flags give the same boards.
package main

import (
	"cmp"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/quintain-rl/quintain/task/rng"
)

func main() {
	seed := flag.Uint64("seed", 1, "seed of all draws")
	climbs := flag.Int("climbs", 2000, "how often to begin with a new board")
	flag.Parse()
	if err := write(os.Stdout, kept(climb(*seed, *climbs))); err != nil {
		fmt.Fprintln(os.Stderr, "rushgen:", err)
		os.Exit(1)
	}
}

const (
	steps     = 300  // changes of a board in a climb
	fewest    = 4    // least moves of a written board
	perLength = 1000 // written boards with the same number of moves
	hard      = 24   // moves from which boards are rare
)

// A solved board is a position and the moves of a shortest solution, a line of the file.
type solved struct {
	moves int
	line  string
}

// climb makes boards, and returns those harder than all before them in their climb, and equally
// hard ones if they are hard.
func climb(seed uint64, climbs int) (found []solved) {
	streams := rng.Named("rushgen")
	s := newSearch()
	for i := range climbs {
		r := streams.Stream(seed, i)
		now, best := draw(r), 0
		for range steps {
			next := now.changed(r)
			moves := s.hardest(next)
			if moves < best || moves == 0 {
				continue
			}
			if moves >= hard || moves > best && moves >= fewest {
				found = append(found, solved{moves, s.line()})
			}
			now, best = next, moves
		}
	}
	return found
}

// kept sorts boards by moves, drops duplicates, and takes up to perLength of each length,
// evenly from all climbs.
func kept(found []solved) (boards []solved) {
	slices.SortStableFunc(found, func(a, b solved) int { return cmp.Compare(a.moves, b.moves) })
	seen := map[string]bool{}
	found = slices.DeleteFunc(found, func(s solved) bool {
		twice := seen[s.line]
		seen[s.line] = true
		return twice
	})
	for len(found) > 0 {
		n := 1
		for n < len(found) && found[n].moves == found[0].moves {
			n++
		}
		take := min(n, perLength)
		for i := range take {
			boards = append(boards, found[i*n/take])
		}
		found = found[n:]
	}
	return boards
}

// write writes a line for each board, compressed.
func write(to io.Writer, boards []solved) error {
	z, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return err
	}
	for _, b := range boards {
		if _, err := fmt.Fprintln(z, b.line); err != nil {
			return err
		}
	}
	return z.Close()
}
