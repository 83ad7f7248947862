package hub

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// forked is a group whose episodes have several sequences each.
func forked(id int, each ...int) *quintain.Group {
	g := &quintain.Group{}
	for episode, sequences := range each {
		for range sequences {
			g.Tokens, g.Masks = append(g.Tokens, []quintain.Token{quintain.Token(id)}), append(g.Masks, []int32{int32(id)})
			g.Scores, g.Episodes = append(g.Scores, 0), append(g.Episodes, int32(episode))
		}
	}
	return g
}

// TestBatchUnit counts batches in what the trainer registered.
func TestBatchUnit(t *testing.T) {
	groups := []*quintain.Group{forked(1, 3, 2), forked(2, 1, 1), forked(3, 5, 3), forked(4, 1, 1), forked(5, 2, 2)} // 5, 2, 8, 2 and 4 sequences
	for _, test := range []struct {
		why, fields string
		size        int
		want        []string
	}{
		{"sequences, as Atropos counts: the oldest first, exact if possible", ``, 8, []string{"1 2", "3", ""}},
		{"sequences by name", `"batch_unit":"sequences",`, 7, []string{"1 2", "3", ""}},
		{"at least, at most", `"max_batch_size":10,`, 8, []string{"1 2 4", "3", ""}},
		{"episodes, as many sequences as they have", `"batch_unit":"episodes",`, 4, []string{"1 2", "3 4", ""}},
		{"episodes that groups do not divide", `"batch_unit":"episodes",`, 5, []string{"1 2", "3 4", ""}},
		{"at least as many, if a little more is allowed", `"batch_unit":"episodes","max_batch_size":6,`, 5, []string{"1 2 3", ""}},
		{"groups", `"batch_unit":"groups",`, 2, []string{"1 2", "3 4", ""}},
	} {
		t.Run(test.why, func(t *testing.T) {
			f := newFixture(t, nil, Config{})
			body := strings.Replace(fmt.Sprintf(registerBody, test.size, 0), "{", "{"+test.fields, 1)
			if w := f.do("POST", "/register", body); w.Code != 200 {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			f.restart()
			for _, g := range groups {
				if _, err := f.run.queue.Put(t.Context(), g); err != nil {
					t.Fatal(err)
				}
			}
			for _, want := range test.want {
				if _, got := f.take("trainer=a"); got != want {
					t.Errorf("batch %q, want %q", got, want)
				}
			}
		})
	}
}

// TestRegisterUnits refuses invalid units and sizes.
func TestRegisterUnits(t *testing.T) {
	f := newFixture(t, nil, Config{})
	for fields, want := range map[string]string{
		`"batch_unit":"tokens",`:    "sequences, episodes, groups",
		`"batch_unit":3,`:           "batch_unit",
		`"max_batch_size":100000,`:  `"max_batch_size"],"msg":"Input should be at most 65536"`,
		`"max_batch_size":-1,`:      "max_batch_size",
		`"max_batch_size":"a lot",`: "max_batch_size",
	} {
		w := f.do("POST", "/register", strings.Replace(fmt.Sprintf(registerBody, 8, 0), "{", "{"+fields, 1))
		if w.Code != 422 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s, want 422 with %q", fields, w.Code, w.Body, want)
		}
	}
}

// TestPadding fills the batches of GET /batch to a multiple of the registered size, and those
// of /v1 not: each group comes once, also if its batch comes again on the other route.
func TestPadding(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(8)
	f.put(group(1, 7, -1), group(2, 7, -1), group(3, 20, -1))
	const padding = `,{"tokens":[[0,0]],"masks":[[-100,0]],"scores":[0.0],"advantages":null,"ref_logprobs":null,"messages":null,` +
		`"generation_params":null,"inference_logprobs":[[1.0,0.0]],"overrides":[{"set_advantage_to_zero":true}],"group_overrides":null,` +
		`"images":null,"env_id":null,"distill_token_ids":null,"distill_logprobs":null}]}`
	if w := f.do("GET", "/batch", ""); !strings.HasSuffix(w.Body.String(), padding) {
		t.Errorf("batch %s", w.Body)
	}
	f.restart()
	if number, ids := f.take("trainer=a"); number != "1" || ids != "1" {
		t.Errorf("batch %s: %q, want 1 again", number, ids)
	}
	for _, padded := range []int{1, 4} {
		w := f.do("GET", "/batch", "")
		if n := strings.Count(w.Body.String(), `"set_advantage_to_zero"`); n != padded {
			t.Errorf("padded with %d, want %d: %s", n, padded, w.Body)
		}
	}
	if st := f.run.Stats(); st.Padded != 5 {
		t.Errorf("stats: padded %d since the restart, want 5", st.Padded)
	}
}
