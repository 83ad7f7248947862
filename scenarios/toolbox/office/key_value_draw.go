package office

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenarios/toolbox"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// makePairs draws a store with a task, which cannot be done by whoever does not see what the other
// client changes.
func makePairs(p keyParams, r *rng.Rand) (pairs, error) {
	const patience = 200
	kind := rng.Pick(r, p.Kinds)
	for range patience {
		made := drawPairs(p, kind, r)
		if !made.doneAtOnce() && (p.Client != sameKeys || !made.solvedBlindly()) {
			return made, task.Check(made)
		}
	}
	return pairs{}, errors.New("no store of these parameters has changes that matter")
}

// drawPairs draws a store with a task.
func drawPairs(p keyParams, kind string, r *rng.Rand) (made pairs) {
	made = pairs{Kind: kind, Page: p.Page, Strict: p.Strict && kind == moveMoney}
	names := rng.Sample(r, keyNames, 3*p.Touched)
	add := func(key, value string) { made.Entries = append(made.Entries, pair{key, value}) }
	switch kind {
	case renamePrefix:
		chosen := rng.Pick(r, renames)
		made.From, made.To = chosen[0], chosen[1]
		for _, name := range names[:r.Between(p.Touched, p.Touched+1)] {
			add(made.From+name, text(r.Between64(100, 999))+" "+rng.Pick(r, numberNames))
		}
	case mergeCounters:
		chosen := rng.Pick(r, merges)
		made.From, made.To = chosen[0], chosen[1]
		for i, name := range names[:2*p.Touched] {
			if i < p.Touched {
				add(made.From+name, text(r.Between64(11, 989)))
			}
			if i != 0 && i != 2*p.Touched-1 {
				add(made.To+name, text(r.Between64(1000, 9999)))
			}
		}
	case electNewest:
		chosen := rng.Pick(r, elects)
		made.From, made.To = chosen[0], chosen[1]
		numbers := rng.Different(r, 2*p.Touched, 1000, 9999)
		for i, name := range names[:2*p.Touched] {
			add(made.From+name, text(numbers[i]))
		}
		add(made.To, names[0])
	case moveMoney:
		made.From = accounts
		for _, name := range names[:2*p.Touched] {
			add(accounts+name, text(r.Between64(1000, 9999)))
		}
		made.drawMoves(p, r, names)
	}
	for len(made.Entries) < p.Keys {
		key := drawKey(r, made)
		if !slices.ContainsFunc(made.Entries, func(one pair) bool { return one.Key == key }) {
			add(key, text(r.Between64(100, 9999)))
		}
	}
	slices.SortFunc(made.Entries, func(a, b pair) int { return strings.Compare(a.Key, b.Key) })
	made.drawClient(p, r)
	return made
}

// drawMoves draws transfers that change each account they name.
func (p *pairs) drawMoves(params keyParams, r *rng.Rand, names []string) {
	givers := max(params.Touched/2, 1)
	for i := range params.Touched - givers {
		p.Moves = append(p.Moves, transfer{accounts + names[i%givers], accounts + names[givers+i], r.Between64(101, 899)})
	}
}

// drawClient draws the changes of the other client.
func (p *pairs) drawClient(params keyParams, r *rng.Rand) {
	if params.Client == "" {
		return
	}
	var own []string // keys of the task to which it may add
	for _, one := range p.Entries {
		if p.touches(one.Key) {
			own = append(own, one.Key)
		}
	}
	for call := 2; call <= params.Touched+3; call++ {
		switch {
		case params.Client == sameKeys && r.Chance(0.5):
			p.Client = append(p.Client, change{Call: call, Key: rng.Pick(r, own), Add: r.Between64(100, 4000)})
		case r.Chance(0.5):
			p.Client = append(p.Client, change{Call: call, Key: drawKey(r, *p), Value: text(r.Between64(100, 9999))})
		}
	}
}

// touches reports whether the other client may add to a key of the task.
func (p *pairs) touches(key string) bool {
	switch p.Kind {
	case mergeCounters:
		return strings.HasPrefix(key, p.To)
	case electNewest:
		return strings.HasPrefix(key, p.From)
	}
	return slices.ContainsFunc(p.Moves, func(m transfer) bool { return key == m.From || key == m.To })
}

// A session makes calls of a plan.
type session struct {
	*store
	blind bool // it trusts what it has read
	plan  []quintain.ToolCall
}

// maxPlan is more than any plan has.
const maxPlan = 400

// did notes a call, after the other client has made its changes before it.
func (s *session) did(name string, args map[string]string) {
	s.plan = append(s.plan, toolbox.Call(name, args))
}

// next begins a call.
func (s *session) next() { s.At(len(s.plan) + 1) }

// all scans all pages of a prefix, and returns what it read.
func (s *session) all(prefix string) (read []pair) {
	after, more := "", true
	for more && len(s.plan) < maxPlan {
		s.next()
		args := map[string]string{"prefix": prefix}
		if after != "" {
			args["after"] = after
		}
		s.did("scan", args)
		var keys []string
		keys, more = s.scan(prefix, after)
		for _, key := range keys {
			read = append(read, pair{key, s.now[key]})
			after = key
		}
	}
	return read
}

// add adds to the number of a key that had a value.
func (s *session) add(key, had string, n int64) {
	for len(s.plan) < maxPlan {
		s.next()
		before, _ := number(had)
		sum := text(before + n)
		switch {
		case had == "" || s.blind:
			s.did("put", map[string]string{"key": key, "value": sum})
			s.now[key] = sum
			return
		case s.now[key] == had:
			s.did("cas", map[string]string{"key": key, "old": had, "new": sum})
			s.now[key] = sum
			return
		}
		s.did("cas", map[string]string{"key": key, "old": had, "new": sum})
		had = s.now[key]
	}
}

// remove deletes a key.
func (s *session) remove(key string) {
	s.next()
	s.did("delete", map[string]string{"key": key})
	delete(s.now, key)
}

// run makes all calls but the last.
func (s *session) run() {
	switch s.Kind {
	case renamePrefix:
		for _, one := range s.all(s.From) {
			s.next()
			key := s.To + strings.TrimPrefix(one.Key, s.From)
			s.did("put", map[string]string{"key": key, "value": one.Value})
			s.now[key] = one.Value
			s.remove(one.Key)
		}
	case mergeCounters:
		had := map[string]string{}
		old := s.all(s.From)
		for _, one := range s.all(s.To) {
			had[one.Key] = one.Value
		}
		for _, one := range old {
			key := s.To + strings.TrimPrefix(one.Key, s.From)
			n, _ := number(one.Value)
			s.add(key, had[key], n)
			s.remove(one.Key)
		}
	case electNewest:
		s.elect()
	case moveMoney:
		s.move()
	}
}

// elect scans until the other client has ended, and names the newest.
func (s *session) elect() {
	read := map[string]string{}
	for quiet := false; !quiet && len(s.plan) < maxPlan; {
		quiet = s.blind || len(s.Client) == 0 || len(s.plan)+1 >= s.Client[len(s.Client)-1].Call
		clear(read)
		for _, one := range s.all(s.From) {
			read[one.Key] = one.Value
		}
	}
	s.next()
	name := s.newest(read)
	s.did("put", map[string]string{"key": s.To, "value": name})
	s.now[s.To] = name
}

// move moves money: it takes before it gives.
func (s *session) move() {
	by := map[string]int64{}
	var order []string
	for _, m := range s.Moves {
		for _, key := range []string{m.From, m.To} {
			if _, seen := by[key]; !seen {
				order = append(order, key)
				by[key] = 0
			}
		}
		by[m.From] -= m.Amount
		by[m.To] += m.Amount
	}
	slices.SortStableFunc(order, func(a, b string) int { return int(min(max(by[a], -1), 1) - min(max(by[b], -1), 1)) })
	for _, key := range order {
		if by[key] == 0 {
			continue
		}
		s.next()
		s.did("get", map[string]string{"key": key})
		s.add(key, s.now[key], by[key])
	}
}

// Plan implements [toolbox.Start].
func (p pairs) Plan() []quintain.ToolCall {
	s := session{store: newStore(p)}
	s.run()
	if answer := p.count(); answer != "" {
		return append(s.plan, quintain.ToolCall{Name: "finish", Arguments: fmt.Sprintf(`{"answer": %s}`, answer)})
	}
	return append(s.plan, toolbox.Call("finish", struct{}{}))
}

// doneAtOnce reports whether the task is done at some moment if the policy does nothing.
func (p pairs) doneAtOnce() bool {
	s := newStore(p)
	for call := 1; ; call++ {
		s.At(call)
		if s.Judge(p.count()).State == "" {
			return true
		}
		if len(s.coming) == 0 {
			return false
		}
	}
}

// solvedBlindly reports whether the task is done by whoever trusts what was read.
func (p pairs) solvedBlindly() bool {
	s := session{store: newStore(p), blind: true}
	s.run()
	s.next()
	return s.Judge(p.count()).State == ""
}
