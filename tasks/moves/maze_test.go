package moves

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestMazeScore(t *testing.T) {
	item := mazeItem{
		GridSize: 5, Grid: []string{"#####", "#S..#", "###.#", "#G..#", "#####"}, ShortestPathLength: 6,
		Start: "S", Goal: "G", Wall: "#", Path: ".",
	}
	other := mazeItem{
		GridSize: 5, Grid: []string{"SSSSS", "S!##S", "SSS#S", "S.##S", "SSSSS"}, ShortestPathLength: 6,
		Start: "!", Goal: ".", Wall: "S", Path: "#", // characters with another meaning in a mazeGrid
	}
	if err := errors.Join(task.Check(item), task.Check(other)); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"6", 1, ""},
		{" 6\n", 1, "with space"},
		{"06", 1, "with a zero in front"},
		{"+6", 1, "with a sign"},
		{"7", 0, "one more: the cells on the way"},
		{"5", 0, "one less"},
		{"16", 0, "reasoning-gym pays 0.5 for any text with the number"},
		{"60", 0, ""},
		{"-6", 0, ""},
		{"6 steps", 0, "words"},
		{"6.0", 0, "a fraction"},
		{"6 7", 0, "two numbers"},
	})
	for _, record := range []string{
		`{"grid":["#####","#S..#","###.#","#G..#","#####"],"shortest_path_length":7,"start":"S","goal":"G","wall":"#","path":"."}`,
		`{"grid":["#####","#S..#","#####","#G..#","#####"],"shortest_path_length":6,"start":"S","goal":"G","wall":"#","path":"."}`,
		`{"grid":["#####","#S.S#","###.#","#G..#","#####"],"shortest_path_length":6,"start":"S","goal":"G","wall":"#","path":"."}`,
		`{"grid":["#####","#S..#","###.#","#G..#","####"],"shortest_path_length":6,"start":"S","goal":"G","wall":"#","path":"."}`,
		`{"grid":["#####","#S..#","###x#","#G..#","#####"],"shortest_path_length":6,"start":"S","goal":"G","wall":"#","path":"."}`,
		`{"grid":["#####","#S..#","###.#","#G..#","#####"],"shortest_path_length":6,"start":"S","goal":"G","wall":"#","path":"#"}`,
		`{"grid":["#####","#S..#","###.#","#G..#","#####"],"shortest_path_length":6,"start":"S","goal":"G","wall":"#","path":""}`,
		`{"grid":["#####","#S..#","###.#","#G..#","#####"],"shortest_path_length":6,"start":"S","goal":"G","wall":"#","path":".","phrasing":6}`,
		`{"grid":[],"shortest_path_length":6,"start":"S","goal":"G","wall":"#","path":"."}`,
	} {
		tasktest.RefusedRecords(t, maze.Task(), []string{record})
	}
}

// The second solver reads the maze from the prompt and sweeps over it until no distance
// changes.
func TestMazeSecond(t *testing.T) {
	tasktest.Second(t, maze.Task(), 1002, func(m mazeItem, prompt, got string) error {
		var rows []string
		for line := range strings.Lines(prompt) {
			if line = strings.TrimSpace(line); len(line) == m.GridSize && strings.HasPrefix(line, m.Wall) && strings.HasSuffix(line, m.Wall) {
				rows = append(rows, line)
			}
		}
		if len(rows) != m.GridSize {
			return fmt.Errorf("the prompt shows %d rows", len(rows))
		}
		text, wide := strings.Join(rows, ""), m.GridSize
		far := make([]int, len(text))
		for i := range far {
			far[i] = len(text)
		}
		far[strings.Index(text, m.Start)] = 0
		for changed := true; changed; {
			changed = false
			for at := range text {
				if text[at:at+1] == m.Wall {
					continue
				}
				if nearest := 1 + min(far[at-1], far[at+1], far[at-wide], far[at+wide]); nearest < far[at] {
					far[at], changed = nearest, true
				}
			}
		}
		if want := strconv.Itoa(far[strings.Index(text, m.Goal)]); want != got {
			return fmt.Errorf("the distance is %s, not %s", want, got)
		}
		return nil
	})
}

func TestMazeKeys(t *testing.T) {
	tasktest.Variant(t, maze.Task(), "from another side, or the other way round", func(m *mazeItem, r *rng.Rand) func(string) string {
		var rows [][]byte
		for _, row := range m.Grid {
			rows = append(rows, []byte(row))
		}
		for i, row := range canon.Seen(rows, r.Between(0, canon.Sides-1)) {
			m.Grid[i] = string(row)
		}
		m.Start, m.Goal = m.Goal, m.Start
		return nil
	})
	tasktest.Same(t, maze.Task(), "the signs are names", func(m *mazeItem) {
		signs := strings.NewReplacer(m.Start, "1", m.Goal, "2", m.Wall, "3", m.Path, "4")
		for i, row := range m.Grid {
			m.Grid[i] = signs.Replace(row)
		}
		m.Start, m.Goal, m.Wall, m.Path = "1", "2", "3", "4"
	})
}

// A sign that is also a punctuation mark would hide in the sentence, so each stands in quotes.
func TestMazeSignsAreQuoted(t *testing.T) {
	tasktest.Every(t, maze.Task(), 300, func(item mazeItem, prompt, _ string) error {
		before, _, _ := strings.Cut(prompt, item.Grid[0])
		_, after, _ := strings.Cut(prompt, item.Grid[len(item.Grid)-1]+"\n")
		for _, sign := range []string{item.Start, item.Goal} {
			if !strings.Contains(before+after, `"`+sign+`"`) {
				return fmt.Errorf("the prompt does not quote %s", sign)
			}
		}
		return nil
	})
}
