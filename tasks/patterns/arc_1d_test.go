package patterns

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestArc1DScore(t *testing.T) {
	item := arc1DItem{Train: []rowPair{{[]int{1, 0}, []int{0, 1}}}, Test: rowPair{[]int{2, 0, 0}, []int{0, 2, 0}}}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"0 2 0", 1, ""}, {" 0  2 0.\n", 1, "space and a full stop are free"}, {"[0, 2, 0]", 0, "a list, which Score gets as plain text"}, {"0,2,0", 1, "with commas"}, {"020", 1, "without space"},
		{"2 0 0", 0, "the row itself"}, {"0 2 0 0", 0, "a cell too many"}, {"0 2", 0, "a cell too few"}, {"0 3 0", 0, "another color"}, {"20", 0, "without the zero in front"},
		{"[0, 2, 0", 0, "not closed"}, {"0 2 0 or 2 0 0", 0, "no choice"}, {"The row is 0 2 0", 0, "a sentence; reasoning-gym pays a share"}, {"0 ٢ 0", 0, "other digits"}, {"", 0, "nothing"}, {".", 0, ""},
	})
	tasktest.RefusedRecords(t, arc1D.Task(), []string{
		`{"task_name":"mirror","size":2,"test_example":{"input":[1,0],"output":[0,1]}}`,
		`{"train_examples":[{"input":[1],"output":[]}],"test_example":{"input":[1,0],"output":[0,1]}}`,
		`{"train_examples":[{"input":[1],"output":[10]}],"test_example":{"input":[1,0],"output":[0,1]}}`,
		`{"train_examples":[{"input":[1],"output":[1]}],"test_example":{"input":[1,0],"output":[0,-1]}}`,
		`{"train_examples":[{"input":[1],"output":[1]}],"test_example":{"input":[1,0],"output":[0,1]},"phrasing":6}`,
	})
}

// rowMeanings define the rules a second time, in other ways, for rows as strings of digits.
// k is the rule's parameter.
var rowMeanings = map[string]func(x string, k int) string{
	"shift_right":           func(x string, k int) string { return zeros(k) + x[:len(x)-k] },
	"shift_left":            func(x string, k int) string { return x[k:] + zeros(k) },
	"rotate_right":          func(x string, k int) string { return (x + x)[len(x)-k:][:len(x)] },
	"rotate_left":           func(x string, k int) string { return (x + x)[k:][:len(x)] },
	"mirror":                func(x string, _ int) string { return backwards(x) },
	"fall_left":             func(x string, _ int) string { return (inked(x) + zeros(len(x)))[:len(x)] },
	"fall_right":            func(x string, _ int) string { return ending(zeros(len(x))+inked(x), len(x)) },
	"picture_to_left_end":   func(x string, _ int) string { return padded(strings.TrimLeft(x, "0"), len(x)) },
	"picture_to_right_end":  func(x string, _ int) string { return ending(zeros(len(x))+strings.TrimRight(x, "0"), len(x)) },
	"shift_right_by_length": func(x string, _ int) string { return (zeros(len(inked(x))) + x)[:len(x)] },
	"shift_left_by_length":  func(x string, _ int) string { return padded(x[len(inked(x)):], len(x)) },
	"swap_halves":           func(x string, _ int) string { h := len(x) / 2; return x[len(x)-h:] + x[h:len(x)-h] + x[:h] },
	"block_moves_to_mark": func(x string, _ int) string {
		r := runsIn(x)
		gap := strings.Trim(strings.TrimPrefix(strings.Trim(x, "0"), r[0]), "123456789")
		if len(r[0]) > len(r[1]) {
			return strings.Replace(x, r[0]+gap, gap+r[0], 1)
		}
		return strings.Replace(x, gap+r[1], r[1]+gap, 1)
	},
	"mirror_at_mark": aboutMark,
	"reverse_pieces": func(x string, _ int) string { return regexp.MustCompile(`[1-9]+`).ReplaceAllStringFunc(x, backwards) },

	"widen":            func(x string, _ int) string { return over(spread(x), backwards(spread(backwards(x)))) },
	"widen_right":      func(x string, _ int) string { return spread(x) },
	"widen_left":       func(x string, _ int) string { return backwards(spread(backwards(x))) },
	"ray_right":        func(x string, _ int) string { return ray(x, 1) },
	"ray_left":         func(x string, _ int) string { return backwards(ray(backwards(x), 1)) },
	"dotted_ray_right": ray,
	"dotted_ray_left":  func(x string, k int) string { return backwards(ray(backwards(x), k)) },
	"connect_same":     func(x string, _ int) string { return connect(x, len(x)) },
	"fill_from_left":   func(x string, _ int) string { return inner(x, func(s string) string { return ray(s, 1) }) },
	"fill_from_right": func(x string, _ int) string {
		return inner(x, func(s string) string { return backwards(ray(backwards(s), 1)) })
	},
	"color_between": func(x string, k int) string {
		return inner(x, func(s string) string { return strings.ReplaceAll(s, "0", fmt.Sprint(k)) })
	},
	"outline": func(x string, k int) string {
		wide := over(spread(x), backwards(spread(backwards(x))))
		return over(x, regexp.MustCompile(`[1-9]`).ReplaceAllString(wide, fmt.Sprint(k)))
	},
	"color_widest_gap": func(x string, k int) string {
		gap := slices.MaxFunc(regexp.MustCompile(`0*`).FindAllString(x, -1), func(a, b string) int { return len(a) - len(b) })
		return strings.Replace(x, gap, of(k, len(gap)), 1)
	},
	"close_small_gaps":  func(x string, _ int) string { return connect(x, 1) },
	"symmetric":         func(x string, _ int) string { return over(x, backwards(x)) },
	"symmetric_at_mark": func(x string, k int) string { return over(x, aboutMark(x, k)) },
	"block_grows_to_mark": func(x string, _ int) string {
		block := slices.MaxFunc(runsIn(x), func(a, b string) int { return len(a) - len(b) })
		return inner(x, func(s string) string { return strings.ReplaceAll(s, "0", block[:1]) })
	},
	"repeat_left_half":   func(x string, _ int) string { h := len(x) / 2; return x[:len(x)-h] + x[:h] },
	"repeat_first_piece": func(x string, _ int) string { return firstPieceAgain(x) },
	"invert": func(x string, _ int) string {
		return strings.NewReplacer("0", inked(x)[:1], inked(x)[:1], "0").Replace(x)
	},

	"hollow":           hollowRuns,
	"peel":             peelRuns,
	"drop_starts":      eachRun(func(_ int, r string, _ []string) string { return "0" + r[1:] }),
	"drop_ends":        eachRun(func(_ int, r string, _ []string) string { return r[1:] + "0" }),
	"only_starts":      eachRun(func(_ int, r string, _ []string) string { return r[:1] + zeros(len(r)-1) }),
	"only_ends":        eachRun(func(_ int, r string, _ []string) string { return zeros(len(r)-1) + r[:1] }),
	"split":            splitRuns,
	"every_second":     everySecond,
	"erase_singles":    keepRuns(func(_ int, r string, _ []string) bool { return len(r) > 1 }),
	"only_singles":     keepRuns(func(_ int, r string, _ []string) bool { return len(r) < 2 }),
	"only_longest":     keepRuns(func(_ int, r string, all []string) bool { return longerThan(r, all) == 0 }),
	"erase_longest":    keepRuns(func(_ int, r string, all []string) bool { return longerThan(r, all) > 0 }),
	"only_shortest":    keepRuns(func(_ int, r string, all []string) bool { return shorterThan(r, all) == 0 }),
	"erase_shortest":   keepRuns(func(_ int, r string, all []string) bool { return shorterThan(r, all) > 0 }),
	"erase_first":      keepRuns(func(j int, _ string, _ []string) bool { return j != 0 }),
	"erase_last":       keepRuns(func(j int, _ string, all []string) bool { return j+1 != len(all) }),
	"only_first":       keepRuns(func(j int, _ string, _ []string) bool { return j == 0 }),
	"only_last":        keepRuns(func(j int, _ string, all []string) bool { return j+1 == len(all) }),
	"erase_even":       keepRuns(func(_ int, r string, _ []string) bool { return len(r)%2 == 1 }),
	"erase_odd":        keepRuns(func(_ int, r string, _ []string) bool { return len(r)%2 == 0 }),
	"erase_at_borders": func(x string, _ int) string { return atBorders(x, 0) },
	"only_color": func(x string, k int) string {
		return regexp.MustCompile("[^"+fmt.Sprint(k)+"]").ReplaceAllString(x, "0")
	},
	"erase_color": func(x string, k int) string { return strings.ReplaceAll(x, fmt.Sprint(k), "0") },

	"color_all":          func(x string, k int) string { return regexp.MustCompile("[^0]").ReplaceAllString(x, fmt.Sprint(k)) },
	"color_first":        paintRuns(func(j int, _ string, _ []string) bool { return j == 0 }),
	"color_last":         paintRuns(func(j int, _ string, all []string) bool { return j+1 == len(all) }),
	"color_longest":      paintRuns(func(_ int, r string, all []string) bool { return longerThan(r, all) == 0 }),
	"color_shortest":     paintRuns(func(_ int, r string, all []string) bool { return shorterThan(r, all) == 0 }),
	"color_even":         paintRuns(func(_ int, r string, _ []string) bool { return len(r)%2 == 0 }),
	"color_odd":          paintRuns(func(_ int, r string, _ []string) bool { return len(r)%2 == 1 }),
	"color_ends":         paintWhere(hollowRuns),
	"color_insides":      paintWhere(peelRuns),
	"color_middles":      func(x string, k int) string { return over(splitRuns(x, 0), paintedInk(x, k)) },
	"color_every_second": func(x string, k int) string { return over(everySecond(x, 0), paintedInk(x, k)) },
	"color_at_borders":   atBorders,
	"color_by_order":     eachRun(func(j int, r string, _ []string) string { return of(j%9+1, len(r)) }),
	"color_by_length":    eachRun(func(_ int, r string, _ []string) string { return of(min(9, len(r)), len(r)) }),
	"colors_move_right":  eachRun(func(j int, r string, all []string) string { return like(append(all[len(all)-1:], all...)[j], r) }),
	"colors_move_left": eachRun(func(j int, r string, all []string) string {
		return like(append(all[1:len(all):len(all)], all[0])[j], r)
	}),
	"colors_reversed": eachRun(func(j int, r string, all []string) string { return like(all[len(all)-1-j], r) }),
	"color_of_first":  eachRun(func(_ int, r string, all []string) string { return like(all[0], r) }),
	"color_of_last":   eachRun(func(_ int, r string, all []string) string { return like(all[len(all)-1], r) }),
	"color_of_longest": eachRun(func(_ int, r string, all []string) string {
		return like(slices.MaxFunc(all, func(a, b string) int { return len(a) - len(b) }), r)
	}),
	"most_frequent_color": func(x string, _ int) string { return regexp.MustCompile("[^0]").ReplaceAllString(x, commonest(x)) },
	"only_most_frequent_color": func(x string, _ int) string {
		return regexp.MustCompile("[^"+commonest(x)+"]").ReplaceAllString(x, "0")
	},
	"swap_two_colors": func(x string, _ int) string {
		a := inked(x)[:1]
		b := strings.ReplaceAll(inked(x), a, "")[:1]
		return strings.NewReplacer(a, b, b, a).Replace(x)
	},
	"replace_by_legend": func(x string, _ int) string {
		if x[0] == '0' {
			return x
		}
		return x[:2] + strings.ReplaceAll(x[2:], x[:1], x[1:2])
	},

	"sort":      func(x string, _ int) string { b := []byte(x); slices.Sort(b); return string(b) },
	"sort_down": func(x string, _ int) string { b := []byte(x); slices.Sort(b); return backwards(string(b)) },
	"heal": func(x string, _ int) string {
		b := []byte(x)
		for i := range len(x) - 2 {
			if x[i] == x[i+2] {
				b[i+1] = x[i]
			}
		}
		return string(b)
	},
	"count_runs":         func(x string, _ int) string { return padded(strings.Repeat(inked(x)[:1], len(runsIn(x))), len(x)) },
	"mirror_left_half":   func(x string, _ int) string { return x[:(len(x)+1)/2] + backwards(x[:len(x)/2]) },
	"mirror_right_half":  func(x string, _ int) string { return backwards(x[(len(x)+1)/2:]) + x[len(x)/2:] },
	"exchange_neighbors": func(x string, _ int) string { return regexp.MustCompile(`(.)(.)`).ReplaceAllString(x, "$2$1") },
	"colored_places_reversed": func(x string, _ int) string {
		ink := inked(x)
		return regexp.MustCompile(`[^0]`).ReplaceAllStringFunc(x, func(string) string {
			c := ink[len(ink)-1:]
			ink = ink[:len(ink)-1]
			return c
		})
	},
}

// Parts of several meanings.
var (
	hollowRuns = eachRun(func(_ int, r string, _ []string) string {
		return keepAt(r, func(i int) bool { return i*(len(r)-1-i) == 0 })
	})
	peelRuns = eachRun(func(_ int, r string, _ []string) string {
		return keepAt(r, func(i int) bool { return i*(len(r)-1-i) > 0 })
	})
	splitRuns = eachRun(func(_ int, r string, _ []string) string {
		half := r[:(len(r)-1)/2]
		return half + zeros(len(r)-2*len(half)) + half
	})
	everySecond = eachRun(func(_ int, r string, _ []string) string { return strings.Repeat(r[:1]+"0", len(r))[:len(r)] })
)

func zeros(n int) string            { return strings.Repeat("0", n) }
func of(color, n int) string        { return strings.Repeat(fmt.Sprint(color), n) }
func like(color, run string) string { return strings.Repeat(color[:1], len(run)) }
func inked(x string) string         { return strings.ReplaceAll(x, "0", "") }
func ending(x string, n int) string { return x[len(x)-n:] }
func padded(x string, n int) string { return (x + zeros(n))[:n] }
func backwards(x string) string     { b := []byte(x); slices.Reverse(b); return string(b) }
func paintedInk(x string, k int) string {
	return regexp.MustCompile("[^0]").ReplaceAllString(x, fmt.Sprint(k))
}

var (
	runRE = regexp.MustCompile(`1+|2+|3+|4+|5+|6+|7+|8+|9+`)
	gapRE = regexp.MustCompile(`0+`)
)

func runsIn(x string) []string { return runRE.FindAllString(x, -1) }

// over draws a over b: b shows on a's background.
func over(a, b string) string {
	out := []byte(a)
	for i := range out {
		if a[i] == '0' {
			out[i] = b[i]
		}
	}
	return string(out)
}

// spread colors the cell after each run, where it is empty.
func spread(x string) string { return regexp.MustCompile(`([1-9])0`).ReplaceAllString(x, "$1$1") }

// ray fills each gap after a color with that color, in every k-th cell.
func ray(x string, k int) string {
	return regexp.MustCompile(`[1-9]0+`).ReplaceAllStringFunc(x, func(s string) string {
		return s[:1] + strings.Repeat(zeros(k-1)+s[:1], len(s))[:len(s)-1]
	})
}

// inner changes the part between the background at both ends.
func inner(x string, f func(string) string) string {
	core := strings.Trim(x, "0")
	left := strings.Index(x, core)
	return x[:left] + f(core) + x[left+len(core):]
}

// connect fills gaps of up to most cells between cells of one color.
func connect(x string, most int) string {
	b := []byte(x)
	for _, gap := range gapRE.FindAllStringIndex(x, -1) {
		from, to := gap[0], gap[1]
		if from > 0 && to < len(x) && x[from-1] == x[to] && to-from <= most {
			copy(b[from:], strings.Repeat(x[to:to+1], to-from))
		}
	}
	return string(b)
}

// aboutMark reflects a row about its first single cell.
func aboutMark(x string, _ int) string {
	for _, at := range runRE.FindAllStringIndex(x, -1) {
		if at[1]-at[0] == 1 {
			left, right := x[:at[0]], x[at[1]:]
			return ending(zeros(len(left))+backwards(right), len(left)) + x[at[0]:at[1]] + padded(backwards(left), len(right))
		}
	}
	return zeros(len(x))
}

func firstPieceAgain(x string) string {
	piece, _, _ := strings.Cut(x, "0")
	if piece == "" {
		return x
	}
	return strings.Repeat(piece, len(x))[:len(x)]
}

// atBorders recolors the runs at the ends of a row.
func atBorders(x string, k int) string {
	n := len(x)
	color := func(s string) string { return of(k, len(s)) }
	x = regexp.MustCompile(`^(?:`+runRE.String()+`)`).ReplaceAllStringFunc(x, color)
	if strings.Trim(x, fmt.Sprint(k)) == "" && k > 0 || len(x) != n {
		return x
	}
	return regexp.MustCompile(`(?:`+runRE.String()+`)$`).ReplaceAllStringFunc(x, color)
}

// commonest returns the most frequent color.
func commonest(x string) string {
	return slices.MaxFunc(strings.Split(inked(x), ""), func(a, b string) int { return strings.Count(x, a) - strings.Count(x, b) })
}

func longerThan(r string, all []string) int {
	return len(slices.DeleteFunc(slices.Clone(all), func(s string) bool { return len(s) <= len(r) }))
}

func shorterThan(r string, all []string) int {
	return len(slices.DeleteFunc(slices.Clone(all), func(s string) bool { return len(s) >= len(r) }))
}

func keepAt(r string, keep func(i int) bool) string {
	b := []byte(r)
	for i := range b {
		if !keep(i) {
			b[i] = '0'
		}
	}
	return string(b)
}

func eachRun(f func(j int, r string, all []string) string) func(string, int) string {
	return func(x string, _ int) string {
		j := -1
		return runRE.ReplaceAllStringFunc(x, func(r string) string { j++; return f(j, r, runsIn(x)) })
	}
}

func keepRuns(keep func(j int, r string, all []string) bool) func(string, int) string {
	return eachRun(func(j int, r string, all []string) string {
		if keep(j, r, all) {
			return r
		}
		return zeros(len(r))
	})
}

func paintRuns(paint func(j int, r string, all []string) bool) func(string, int) string {
	return func(x string, k int) string {
		return eachRun(func(j int, r string, all []string) string {
			if paint(j, r, all) {
				return of(k, len(r))
			}
			return r
		})(x, 0)
	}
}

// paintWhere colors the cells that another rule keeps.
func paintWhere(rule func(string, int) string) func(string, int) string {
	return func(x string, k int) string { return over(paintedInk(rule(x, 0), k), x) }
}

// digitsOf writes a row without space.
func digitsOf(row []int) string { return strings.ReplaceAll(rowText(row), " ", "") }

// Each rule has its meaning, in rows of every kind for which that is clear.
func TestRowRules(t *testing.T) {
	r := rng.New(1, "rows")
	table := rowRuleTable()
	if len(table) < 60 || len(table) != len(rowMeanings) {
		t.Errorf("there are %d rules, and %d meanings", len(table), len(rowMeanings))
	}
	for _, bound := range boundRowRules() {
		for range 40 {
			var s strip
			s.look(rng.Pick(r, table).scene(scenery{r, r.Between(8, 40), r.Between(1, 9)}))
			if len(s.full) == 0 || bound.clear != nil && !bound.clear(&s) {
				continue
			}
			x := digitsOf(s.cells)
			if got, want := digitsOf(bound.append(nil, &s)), rowMeanings[bound.name](x, bound.k); got != want {
				t.Errorf("%s makes\n%s of\n%s, want\n%s", bound, got, x, want)
				break
			}
			for i, c := range bound.append(nil, &s) {
				if c != s.cells[i] && !slices.Contains(rulesFor(cellChange{s.cells[i], c}), bound) {
					t.Fatalf("%s gives %s the color %d at %d, and is not among the rules that may", bound, x, c, i)
				}
			}
		}
	}
}

// The second solver reads the rows in the prompt, and tries the meanings of all rules. The
// problem's rule leads to the answer, and no other that fits the examples leads elsewhere.
func TestArc1DSecond(t *testing.T) {
	rowRE := regexp.MustCompile(`(?m)(?:\d ){7,}\d`)
	seen := map[string]bool{}
	tasktest.Every(t, arc1D.Task(), tasktest.Count(1500, 150), func(item arc1DItem, prompt, got string) error {
		rows := rowRE.FindAllString(prompt, -1)
		if len(rows) != 2*len(item.Train)+1 {
			return fmt.Errorf("the prompt has %d rows for %d examples", len(rows), len(item.Train))
		}
		for i := range rows {
			rows[i] = strings.ReplaceAll(rows[i], " ", "")
		}
		answer, asked := strings.ReplaceAll(got, " ", ""), rows[len(rows)-1]
		fits := func(f func(string) string) bool {
			for i := 0; i+1 < len(rows); i += 2 {
				if f(rows[i]) != rows[i+1] {
					return false
				}
			}
			return true
		}
		names := strings.Split(item.TaskName, "+")
		for _, bound := range boundRowRules() {
			if slices.Contains(names, bound.String()) {
				seen[bound.name] = true
			}
			one := func(x string) string { return rowMeanings[bound.name](x, bound.k) }
			if bound.clear == nil && fits(one) && one(asked) != answer {
				return fmt.Errorf("%s fits too, and gives %s", bound, one(asked))
			}
		}
		chain := func(x string) string {
			for _, name := range names {
				i := slices.IndexFunc(boundRowRules(), func(b boundRowRule) bool { return b.String() == name })
				x = rowMeanings[boundRowRules()[i].name](x, boundRowRules()[i].k)
			}
			return x
		}
		if !fits(chain) || chain(asked) != answer {
			return fmt.Errorf("%s does not lead to %s, but to %s", item.TaskName, answer, chain(asked))
		}
		return nil
	})
	if tasktest.Heavy && len(seen) < len(rowRuleTable()) {
		t.Errorf("%d of %d rules come up", len(seen), len(rowRuleTable()))
	}
}

func TestArc1DKeys(t *testing.T) {
	tasktest.Variant(t, arc1D.Task(), "other colors, mirrored", func(a *arc1DItem, r *rng.Rand) func(string) string {
		colors, mirrored := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, r.Chance(0.5)
		rng.Shuffle(r, colors[1:])
		for _, e := range append(a.Train, a.Test) {
			for _, row := range [][]int{e.Input, e.Output} {
				for i, c := range row {
					row[i] = colors[c]
				}
				if mirrored {
					slices.Reverse(row)
				}
			}
		}
		return func(string) string { return rowText(a.Test.Output) }
	})
	tasktest.Same(t, arc1D.Task(), "the examples may be in any order", func(a *arc1DItem) { slices.Reverse(a.Train) })
	tasktest.Same(t, arc1D.Task(), "the rule is not part of the question", func(a *arc1DItem) { a.TaskName = "another" })
	tasktest.Other(t, arc1D.Task(), "another row is another question", func(a *arc1DItem) { a.Test.Input[0] = (a.Test.Input[0] + 1) % 10 })
}
