package moves

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

// The catalogue measures that a part of the boxes earns a part of the score.
func TestBoxnetPaysForParts(t *testing.T) {
	if credit, err := task.CreditOf(boxnet.Task(), 4); credit != task.Parts || err != nil {
		t.Errorf("credit %q, error %v, want %q", credit, err, task.Parts)
	}
}

func TestBoxnetScore(t *testing.T) {
	const record = `{"row_num":2,"column_num":2,"initial_state":{"0.5_0.5":["box_red","box_blue"],"0.5_1.5":["target_red"],"1.5_0.5":[],"1.5_1.5":["box_blue","target_blue","target_blue"]},"max_steps":4}`
	var item boxnetItem
	if err := json.Unmarshal([]byte(record), &item); err != nil {
		t.Fatal(err)
	}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	const (
		red1  = `"Agent[0.5, 0.5]": "move(box_red, square[0.5, 1.5])"`
		red2  = `"Agent[0.5, 1.5]": "move(box_red, target_red)"`
		blue  = `"Agent[1.5, 1.5]": "move(box_blue, target_blue)"`
		blue1 = `"Agent[0.5, 0.5]": "move(box_blue, square[1.5, 0.5])"`
		blue2 = `"Agent[1.5, 0.5]": "move(box_blue, square[1.5, 1.5])"`
		right = "[{" + blue1 + ", " + blue + "}, {" + blue2 + ", " + red1 + "}, {" + blue + ", " + red2 + "}]"
	)
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{right, 1, ""},
		{"[{" + red1 + "," + blue + "},{" + blue1 + "," + red2 + "},{" + blue2 + "},{" + blue + "}]", 1, "another way"},
		{strings.ToUpper(right), 1, "case is free"},
		{strings.ReplaceAll(right, ", ", ","), 1, "without spaces; reasoning-gym needs them"},
		{strings.ReplaceAll(right, "(", " ( "), 1, "with more space"},
		{"[{}, " + right[1:], 1, "a step without actions"},
		{"[{}, {}, " + right[1:], 0, "too many steps"},
		{"[{" + blue1 + ", " + blue + "}, {" + blue2 + ", " + red1 + "}, {" + red2 + "}]", 2. / 3, "a box is left"},
		{"[{" + blue + "}]", 1. / 3, "two boxes are left"},
		{"[{" + red1 + "}]", 0, "no box is on a target"},
		{"[{" + red1 + ", " + red2 + "}]", 0, "the box has just arrived"},
		{"[{" + red1 + `, "agent[0.5,0.5]": "move(box_blue, square[1.5, 0.5])"}]`, 0, "an agent acts twice, under two names"},
		{"[{" + blue + "}, {" + blue + "}]", 0, "the box is gone"},
		{`[{` + blue + `}, {"Agent[0.5, 0.5]": "move(box_red, square[1.5, 1.5])"}]`, 0, "no diagonal moves"},
		{`[{` + blue + `}, {"Agent[0.5, 0.5]": "move(box_red, square[0.5, 0.5])"}]`, 0, "no move at all"},
		{`[{` + blue + `}, {"Agent[0.5, 0.5]": "move(box_red, target_red)"}]`, 0, "the target is in another square"},
		{`[{` + blue + `}, {"Agent[0.5, 0.5]": "move(box_red, target_blue)"}]`, 0, "another colour"},
		{`[{` + blue + `}, {"Agent[1.5, 0.5]": "move(box_red, square[0.5, 0.5])"}]`, 0, "the box is in another square"},
		{`[{` + blue + `}, {"Agent[0.5, 0.5]": "move(box_red, square[0.5, 2.5])"}]`, 0, "off the field"},
		{`[{` + blue + `}, {"Agent[0.5, 0.5]": "move(box_red, square[-0.5, 0.5])"}]`, 0, "off the field at the top"},
		{`[{"Agent[1.5, 1.5]": "put(box_blue, target_blue)"}]`, 0, "not a move"},
		{`[{"Agent[1, 1]": "move(box_blue, target_blue)"}]`, 0, "coordinates other than a middle"},
		{`[{"Agent[1.5, 1.5]": 1}]`, 0, "a number"},
		{"[1]", 0, "a step other than an object"},
		{"[{" + blue + "}, {" + blue[:len(blue)-1] + "}]", 0, "a quote is missing"},
		{"[{" + blue + "},]", 0, "a comma at the end of the list"},
		{"[{" + blue + ",}]", 0, "a comma at the end of an object"},
		{"[{" + blue + "} {}]", 0, "no comma"},
		{"[{" + blue + "}] and so on", 0, "words after the list"},
		{`[{"Agent[1.5, 1.5]" "move(box_blue, target_blue)"}]`, 0, "no colon"},
		{`[{"Agent[1.5, 1.5]\\u0020": "move(box_blue, target_blue)"}]`, 0, "an escape"},
		{"\n [ { " + blue + " } ]\n", 1. / 3, "space"},
		{"{" + blue + "}", 0, "an object instead of a list"},
		{right[:len(right)-1], 0, "no end"},
	})
	tasktest.RefusedRecords(t, boxnet.Task(), []string{
		`{"row_num":0,"column_num":0,"initial_state":{}}`,
		strings.Replace(record, `"row_num":2`, `"row_num":3`, 1),
		strings.Replace(record, `"max_steps":4`, `"max_steps":2`, 1),
		strings.Replace(record, `"max_steps":4`, `"phrasing":6`, 1),
		strings.Replace(record, "1.5_0.5", "2.5_0.5", 1),
		strings.Replace(record, "1.5_0.5", "99.5_0.5", 1),
		strings.Replace(record, "1.5_0.5", "1_0", 1),
		strings.Replace(record, "target_red", "target_blue", 1),
		strings.Replace(record, "target_red", "goal_red", 1),
		strings.Replace(record, "box_red", "box_", 1),
		strings.Replace(record, "[]", "{}", 1),
	})
}

func TestBoxnetParams(t *testing.T) {
	tasktest.Refused(t, boxnet.Task(), map[string]string{
		`{"min_row_num":0}`:             "min_row_num",
		`{"max_row_num":21}`:            "max_row_num",
		`{"min_column_num":5}`:          "max_column_num",
		`{"max_box_num":11}`:            "max_box_num",
		`{"colour_list":[]}`:            "colour_list",
		`{"colour_list":["Red"]}`:       "colour_list",
		`{"colour_list":["red","red"]}`: "colour_list",
	})
}

// The second solver reads the field from the prompt and carries out the solution, counting
// boxes and targets of each colour in each square.
func TestBoxnetSecond(t *testing.T) {
	lineRE := regexp.MustCompile(`(?m)^square\[(\d)\.5, (\d)\.5\]: ([a-z_, ]+)$`)
	stepsRE := regexp.MustCompile(`(\d+) (?:of them|steps)`)
	actionRE := regexp.MustCompile(`^move\(box_([a-z]+), (?:square\[(\d)\.5, (\d)\.5\]|target_([a-z]+))\)$`)
	type pile struct {
		row, col int
		thing    string
	}
	tasktest.Second(t, boxnet.Task(), 1002, func(s boxnetItem, prompt, got string) error {
		here, boxes := map[pile]int{}, 0
		for _, line := range lineRE.FindAllStringSubmatch(prompt, -1) {
			row, _ := strconv.Atoi(line[1])
			col, _ := strconv.Atoi(line[2])
			for _, thing := range strings.Split(line[3], ", ") {
				here[pile{row, col, thing}]++
				boxes += strings.Count(thing, "box_")
			}
		}
		var steps []map[string]string
		if err := json.Unmarshal([]byte(got), &steps); err != nil {
			return err
		}
		most, _ := strconv.Atoi(stepsRE.FindStringSubmatch(prompt)[1])
		if len(steps) > most || most != s.MaxSteps || boxes == 0 {
			return fmt.Errorf("%d steps of %d for %d boxes", len(steps), most, boxes)
		}
		for i, step := range steps {
			arrived := map[pile]int{}
			for agent, does := range step {
				var row, col, torow, tocol int
				if _, err := fmt.Sscanf(agent, "Agent[%d.5, %d.5]", &row, &col); err != nil {
					return err
				}
				action := actionRE.FindStringSubmatch(does)
				box := pile{row, col, "box_" + action[1]}
				if here[box]--; here[box] < 0 {
					return fmt.Errorf("step %d: no box for %s", i+1, does)
				}
				if action[4] != "" {
					target := pile{row, col, "target_" + action[4]}
					if here[target]--; here[target] < 0 || action[4] != action[1] {
						return fmt.Errorf("step %d: no target for %s", i+1, does)
					}
					boxes--
					continue
				}
				torow, _ = strconv.Atoi(action[2])
				tocol, _ = strconv.Atoi(action[3])
				if d := (torow-row)*(torow-row) + (tocol-col)*(tocol-col); d != 1 || torow >= s.RowNum || tocol >= s.ColumnNum {
					return fmt.Errorf("step %d: %s does not lead to a neighbor", i+1, does)
				}
				arrived[pile{torow, tocol, box.thing}]++
			}
			for at, n := range arrived {
				here[at] += n
			}
		}
		if boxes != 0 {
			return fmt.Errorf("%d boxes are left", boxes)
		}
		return nil
	})
}

func TestBoxnetKeys(t *testing.T) {
	tasktest.Variant(t, boxnet.Task(), "other colours, from another side", func(s *boxnetItem, r *rng.Rand) func(string) string {
		side, size, colours := r.Between(0, canon.Sides-1), [2]int{s.RowNum, s.ColumnNum}, canon.Names[string]{}
		place := func(row, col int) boxnetSquare {
			row, col = canon.Place(side, size, row, col)
			return boxnetSquare{row, col}
		}
		colour := func(name string) string { return "hue" + string(rune('a'+colours.Of(name))) }
		for i, thing := range s.InitialState.things {
			s.InitialState.things[i] = boxnetThing{place(thing.in.row, thing.in.col), thing.kind, colour(thing.colour)}
		}
		if side >= 4 {
			s.RowNum, s.ColumnNum = s.ColumnNum, s.RowNum
		}
		s.InitialState.rows, s.InitialState.cols = s.RowNum, s.ColumnNum
		s.InitialState.sort()
		s.MaxSteps = max(s.MaxSteps, len(s.InitialState.plan()))
		return func(answer string) string {
			answer = regexp.MustCompile(`\[(\d+)\.5, (\d+)\.5\]`).ReplaceAllStringFunc(answer, func(text string) string {
				var row, col int
				if _, err := fmt.Sscanf(text, "[%d.5, %d.5]", &row, &col); err != nil {
					t.Fatal(err)
				}
				return "[" + string(place(row, col).appendMiddle(nil, ", ")) + "]"
			})
			return regexp.MustCompile(`(box|target)_\w+`).ReplaceAllStringFunc(answer, func(name string) string {
				kind, of, _ := strings.Cut(name, "_")
				return kind + "_" + colour(of)
			})
		}
	})
	tasktest.Same(t, boxnet.Task(), "the things in a square in another order", func(s *boxnetItem) {
		things := s.InitialState.things
		for i := range len(things) - 1 {
			if things[i].in == things[i+1].in {
				things[i], things[i+1] = things[i+1], things[i]
			}
		}
	})
	tasktest.Same(t, boxnet.Task(), "more steps", func(s *boxnetItem) { s.MaxSteps++ })
	tasktest.Other(t, boxnet.Task(), "one more box with its target", func(s *boxnetItem) {
		for _, thing := range slices.Clone(s.InitialState.things) {
			if thing.colour == s.InitialState.things[0].colour {
				s.InitialState.things = append(s.InitialState.things, thing)
			}
		}
		s.InitialState.sort()
		s.MaxSteps = 0
	})
}
