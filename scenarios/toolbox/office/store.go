package office

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios/toolbox"
)

// Limits of a store, in bytes.
const (
	maxKey   = 40
	maxValue = 80
	maxPage  = 10
)

// A change is made by the other client.
type change struct {
	Call  int    `json:"call"` // before which it is made
	Key   string `json:"key"`
	Add   int64  `json:"add"`   // to the number of the key, if there is one
	Value string `json:"value"` // if not empty, the key is set to it
}

// A store is the keys of an episode.
type store struct {
	pairs
	now    map[string]string
	alone  map[string]string // what now would be without the policy
	coming []change          // that are still to come
	above  bool              // at some moment, the numbers of the prefix had a sum that was too high
}

// newStore begins an episode.
func newStore(p pairs) *store {
	s := &store{pairs: p, now: map[string]string{}, coming: p.Client}
	for _, one := range p.Entries {
		s.now[one.Key] = one.Value
	}
	s.alone = maps.Clone(s.now)
	return s
}

// At implements [toolbox.Clocked].
func (s *store) At(call int) {
	for len(s.coming) > 0 && s.coming[0].Call <= call {
		for _, of := range []map[string]string{s.now, s.alone} {
			s.coming[0].apply(of)
		}
		s.coming = s.coming[1:]
	}
}

// apply makes the change.
func (c change) apply(to map[string]string) {
	if c.Value != "" {
		to[c.Key] = c.Value
		return
	}
	if n, ok := number(to[c.Key]); ok {
		to[c.Key] = strconv.FormatInt(n+c.Add, 10)
	}
}

// number reads a number of a store.
func number(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n > -1e12 && n < 1e12
}

// note notes what the last operation did to the sum.
func (s *store) note() {
	if s.Kind == moveMoney && s.sum(s.now) > s.sum(s.alone) {
		s.above = true
	}
}

// sum adds the numbers of the prefix.
func (s *store) sum(of map[string]string) (sum int64) {
	for key, value := range of {
		if n, ok := number(value); ok && strings.HasPrefix(key, s.From) {
			sum += n
		}
	}
	return sum
}

// scan returns a page of the keys of a prefix after a key, and whether there are more.
func (s *store) scan(prefix, after string) (keys []string, more bool) {
	for key := range s.now {
		if strings.HasPrefix(key, prefix) && key > after {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	if len(keys) > s.Page {
		return keys[:s.Page], true
	}
	return keys, false
}

// Tools implements [toolbox.World].
func (s *store) Tools() scenario.Kit {
	key := scenario.Param{Name: "key", Type: scenario.Text()}
	return scenario.Kit{
		toolbox.Tool("get", "Read the value of a key.", []scenario.Param{key}, func(in struct{ Key string }) (string, error) {
			value, has := s.now[in.Key]
			if !has {
				return "", absent("key", in.Key)
			}
			return value, nil
		}),
		toolbox.Tool("put", "Set the value of a key, which need not exist.", []scenario.Param{key, {Name: "value", Type: scenario.Text()}}, s.put),
		toolbox.Tool("delete", "Delete a key.", []scenario.Param{key}, func(in struct{ Key string }) (string, error) {
			if _, has := s.now[in.Key]; !has {
				return "", absent("key", in.Key)
			}
			delete(s.now, in.Key)
			return "Deleted.", nil
		}),
		toolbox.Tool("scan", fmt.Sprintf("List the keys that begin with a prefix, in their order, with their values: %d at most, and only those after a key if you name one.", s.Page),
			[]scenario.Param{{Name: "prefix", Type: scenario.Text(), Doc: "empty: all keys"}, {Name: "after", Type: scenario.Text(), Optional: true, Doc: "a key; only later ones are listed"}}, s.list),
		toolbox.Tool("cas", "Set the value of a key, but only if it still has the value that you name. If not, nothing changes and the result tells the value.",
			[]scenario.Param{key, {Name: "old", Type: scenario.Text(), Doc: "the value that the key must have"}, {Name: "new", Type: scenario.Text(), Doc: "the value to set"}}, s.cas),
	}
}

// put is the tool of that name.
func (s *store) put(in struct{ Key, Value string }) (string, error) {
	if err := storable(in.Key, in.Value, "value"); err != nil {
		return "", err
	}
	s.now[in.Key] = in.Value
	s.note()
	return "Set.", nil
}

// list is the tool scan.
func (s *store) list(in struct{ Prefix, After string }) (string, error) {
	keys, more := s.scan(in.Prefix, in.After)
	if len(keys) == 0 {
		return "No keys.", nil
	}
	var b strings.Builder
	for _, key := range keys {
		fmt.Fprintf(&b, "%s = %s\n", key, s.now[key])
	}
	b.WriteString(map[bool]string{false: "There are no more.", true: "There are more."}[more])
	return b.String(), nil
}

// cas is the tool of that name.
func (s *store) cas(in struct{ Key, Old, New string }) (string, error) {
	value, has := s.now[in.Key]
	if !has {
		return "", absent("key", in.Key)
	}
	if err := storable(in.Key, in.New, "new"); err != nil {
		return "", err
	}
	if value != in.Old {
		return "Not set: the value is " + value, nil
	}
	s.now[in.Key] = in.New
	s.note()
	return "Set.", nil
}

// absent refuses a key that is not there.
func absent(argument, key string) error {
	return scenario.Refusef("argument %s: there is no %.60q", argument, key)
}

// storable refuses what a store cannot hold.
func storable(key, value, argument string) error {
	switch {
	case key == "" || len(key) > maxKey:
		return scenario.Refusef("argument key: has %d bytes, 1 to %d are allowed", len(key), maxKey)
	case value == "" || len(value) > maxValue:
		return scenario.Refusef("argument %s: has %d bytes, 1 to %d are allowed", argument, len(value), maxValue)
	case strings.ContainsFunc(key+value, func(r rune) bool { return r < ' ' }):
		return scenario.Refusef("arguments key and %s: control characters are not allowed", argument)
	}
	return nil
}

// State implements [toolbox.World].
func (s *store) State() toolbox.State { return s.now }

// Untouched implements [toolbox.World].
func (s *store) Untouched() toolbox.State { return s.alone }

// Mine implements [toolbox.World].
func (s *store) Mine(key string) bool {
	switch s.Kind {
	case renamePrefix, mergeCounters:
		return strings.HasPrefix(key, s.From) || strings.HasPrefix(key, s.To)
	case electNewest:
		return key == s.To
	}
	return slices.ContainsFunc(s.Moves, func(m transfer) bool { return key == m.From || key == m.To })
}

// wanted is the state that the goal asks for.
func (s *store) wanted() toolbox.State {
	want := toolbox.State(maps.Clone(s.alone))
	add := func(key string, n int64) {
		before, _ := number(want[key]) // 0 if it is not there
		want[key] = strconv.FormatInt(before+n, 10)
	}
	switch s.Kind {
	case electNewest:
		want[s.To] = s.newest(s.alone)
	case moveMoney:
		for _, m := range s.Moves {
			add(m.From, -m.Amount)
			add(m.To, m.Amount)
		}
	default:
		for _, key := range slices.Sorted(maps.Keys(s.alone)) {
			rest, ok := strings.CutPrefix(key, s.From)
			if !ok {
				continue
			}
			delete(want, key)
			if n, _ := number(s.alone[key]); s.Kind == mergeCounters {
				add(s.To+rest, n)
			} else {
				want[s.To+rest] = s.alone[key]
			}
		}
	}
	return want
}

// newest returns the name with the highest number; of several, the first.
func (s *store) newest(of map[string]string) (name string) {
	best := int64(-1)
	for _, key := range slices.Sorted(maps.Keys(of)) {
		rest, ok := strings.CutPrefix(key, s.From)
		if n, counts := number(of[key]); ok && counts && n > best {
			name, best = rest, n
		}
	}
	return name
}

// Judge implements [toolbox.World].
func (s *store) Judge(answer string) (j toolbox.Judgement) {
	j.State = toolbox.FirstDifference(s.now, s.wanted())
	if s.Strict && s.above && j.State == "" {
		j.State = "the sum was too high in between"
	}
	if want := s.count(); want != "" && answer != want {
		j.Answer = fmt.Sprintf("%.40q, not %s", answer, want)
	}
	return j
}

// count is the answer; empty: there is none.
func (p pairs) count() string {
	if p.Kind != renamePrefix && p.Kind != mergeCounters {
		return ""
	}
	n := 0
	for _, one := range p.Entries {
		if strings.HasPrefix(one.Key, p.From) {
			n++
		}
	}
	return strconv.Itoa(n)
}
