// Rushgen makes the boards of the task rush_hour:
//
//	go run ./tasks/moves/rushgen -seed 1 -climbs 2000 > tasks/moves/rush_boards.txt.gz
//
// Each climb begins with a board that is drawn, and changes a piece or a wall of it again and
// again; a change that makes the board easier is undone. How hard a board is, is found by
// going through all positions that can be reached in it: written is a position from which
// the exit is farthest, with moves of a shortest solution. The same flags give the same boards.
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
	seed := flag.Uint64("seed", 1, "seed of all that is drawn")
	climbs := flag.Int("climbs", 2000, "how often to begin with a new board")
	flag.Parse()
	if err := write(os.Stdout, kept(climb(*seed, *climbs))); err != nil {
		fmt.Fprintln(os.Stderr, "rushgen:", err)
		os.Exit(1)
	}
}

const (
	steps     = 300  // changes of a board in a climb
	fewest    = 4    // moves of a board that is written
	perLength = 1000 // boards of one number of moves that are written
	hard      = 24   // moves of boards of which there are few
)

// A solved board is a position and the moves of a shortest solution, a line of the file.
type solved struct {
	moves int
	line  string
}

// climb makes boards, and returns those that were harder than all before them in their climb,
// and hard ones that were as hard.
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

// kept sorts boards by moves, drops those that are there twice, and takes so many of each
// length, evenly from all climbs.
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
