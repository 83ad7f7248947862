package office

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios/toolbox"
	"github.com/quintain-rl/quintain/task/rng"
)

// keyValue has a store of keys, on which another client may work too.
var keyValue = toolbox.Spec[keyParams, pairs]{
	Name: "key_value",
	Doc: "Change a store of keys and values as asked: rename a prefix, merge counters, move money, name the newest. On upper levels another client changes keys between the calls, " +
		"so that what was read may be out of date.",
	Source:  "Our own.",
	Version: 1,
	Levels: []keyParams{
		{Kinds: []string{renamePrefix}, Keys: 10, Touched: 2, Page: 10},
		{Kinds: []string{renamePrefix, mergeCounters, moveMoney, electNewest}, Keys: 20, Touched: 3, Page: 10},
		{Kinds: []string{renamePrefix, mergeCounters, moveMoney, electNewest}, Keys: 30, Touched: 4, Page: 5, Client: elsewhere},
		{Kinds: []string{mergeCounters, moveMoney, electNewest}, Keys: 30, Touched: 4, Page: 5, Client: sameKeys},
		{Kinds: []string{mergeCounters, moveMoney, electNewest}, Keys: 60, Touched: 6, Page: 3, Client: sameKeys, Strict: true},
	},
	Make: makePairs,
}

// The kinds of tasks.
const (
	renamePrefix  = "rename" // every key of a prefix gets another one
	mergeCounters = "merge"  // the numbers of a prefix are added to those of another
	moveMoney     = "move"   // amounts go from key to key
	electNewest   = "elect"  // the key with the highest number is named
)

// Where the other client works; empty: there is none.
const (
	elsewhere = "elsewhere" // on keys that the task is not about
	sameKeys  = "same"      // on those of the task, too
)

// keyParams are the parameters of a level.
type keyParams struct {
	Kinds   []string `json:"kinds" want:"1 or more" oneof:"rename merge move elect"`
	Keys    int      `json:"keys"`                  // in all
	Touched int      `json:"touched" want:"2 to 8"` // by the task
	Page    int      `json:"page" want:"2 to 10"`   // most keys of a scan
	Client  string   `json:"client"`
	Strict  bool     `json:"strict"` // when money is moved, the sum may never be too high
}

// Check refuses what no tag does.
func (p keyParams) Check() error {
	switch {
	case p.Keys < 3*p.Touched+2 || p.Keys > 80:
		return fmt.Errorf("keys is %d, want %d to 80", p.Keys, 3*p.Touched+2)
	case !slices.Contains([]string{"", elsewhere, sameKeys}, p.Client):
		return fmt.Errorf("client is %.20q, want nothing, elsewhere or same", p.Client)
	case p.Client == sameKeys && slices.Contains(p.Kinds, renamePrefix):
		return errors.New("client is same, and kinds has rename: nothing renames a key that changes, want elsewhere")
	case p.Client == sameKeys && p.Page > p.Touched+1:
		return fmt.Errorf("page is %d with client same, want %d at most", p.Page, p.Touched+1)
	}
	return nil
}

// A pairs is a store with a task.
type pairs struct {
	Kind    string     `json:"kind" oneof:"rename merge move elect"`
	Entries []pair     `json:"entries"`
	Page    int        `json:"page"`
	From    string     `json:"from"` // the prefix of the task
	To      string     `json:"to"`   // the other prefix, or the key that names the newest
	Moves   []transfer `json:"moves"`
	Client  []change   `json:"client"` // by call
	Strict  bool       `json:"strict"`
}

// A pair is a key with its value.
type pair struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// A transfer moves money.
type transfer struct {
	From   string `json:"from"`
	To     string `json:"to"`
	Amount int64  `json:"amount"`
}

// Limits of records.
const (
	maxPairs   = 100
	maxChanges = 40
	maxCall    = 200
)

// Check refuses a record that is no store with a task.
func (p pairs) Check() error {
	if len(p.Entries) > maxPairs || p.Page < 1 || p.Page > maxPage || p.From == "" || len(p.From)+len(p.To) > maxKey/2 || len(p.Moves) > 20 || len(p.Client) > maxChanges {
		return fmt.Errorf("it has %d pairs, %d moves, %d changes, pages of %d, and works on %.20q and %.20q", len(p.Entries), len(p.Moves), len(p.Client), p.Page, p.From, p.To)
	}
	values := map[string]string{}
	for _, one := range p.Entries {
		if err := storable(one.Key, one.Value, "value"); err != nil {
			return fmt.Errorf("entries: %w", err)
		}
		if _, twice := values[one.Key]; twice {
			return fmt.Errorf("entries has %q twice", one.Key)
		}
		values[one.Key] = one.Value
		_, counts := number(one.Value)
		if within := strings.HasPrefix(one.Key, p.From) || p.Kind == mergeCounters && strings.HasPrefix(one.Key, p.To); within && !counts && p.Kind != renamePrefix {
			return fmt.Errorf("entries: the value of %s is no number", one.Key)
		}
	}
	return errors.Join(p.checkTask(values), p.checkClient())
}

// checkTask checks what the task says beside the pairs.
func (p pairs) checkTask(values map[string]string) error {
	switch {
	case p.Kind != moveMoney && p.To == "" || p.Kind != electNewest && p.To != "" && (strings.HasPrefix(p.To, p.From) || strings.HasPrefix(p.From, p.To)):
		return fmt.Errorf("to is %q beside %q", p.To, p.From)
	case p.Kind == electNewest && (newStore(p).newest(values) == "" || strings.HasPrefix(p.To, p.From)):
		return fmt.Errorf("no key of %s can be the newest for %s", p.From, p.To)
	case p.Kind == moveMoney && len(p.Moves) == 0:
		return errors.New("moves is empty")
	}
	for _, m := range p.Moves {
		_, from := values[m.From]
		_, to := values[m.To]
		if !from || !to || m.From == m.To || m.Amount < 1 || m.Amount > 1e6 || !strings.HasPrefix(m.From, p.From) || !strings.HasPrefix(m.To, p.From) {
			return fmt.Errorf("moves has %d from %.40q to %.40q", m.Amount, m.From, m.To)
		}
	}
	return nil
}

// checkClient checks the changes of the other client.
func (p pairs) checkClient() error {
	last := 1
	for _, c := range p.Client {
		if c.Call < last || c.Call > maxCall || c.Add < 0 || c.Add > 1e6 {
			return fmt.Errorf("client: a change by %d before call %d", c.Add, c.Call)
		}
		if err := storable(c.Key, max(c.Value, "-"), "value"); err != nil {
			return fmt.Errorf("client: %w", err)
		}
		if within := strings.HasPrefix(c.Key, p.From) || p.To != "" && strings.HasPrefix(c.Key, p.To); within && c.Value != "" {
			return fmt.Errorf("client: it sets %s, which the task is about", c.Key)
		}
		last = c.Call
	}
	return nil
}

// Goal implements [toolbox.Start].
func (p pairs) Goal(wording int) string {
	text := []string{
		"You work on a store of keys and values, which are texts.", "There is a store that keeps a value for each of its keys.", "A store holds pairs of a key and a value.",
	}[wording] + " " + p.task(wording)
	if len(p.Client) == 0 {
		return text
	}
	quiet := p.Client[len(p.Client)-1].Call
	return text + "\n\n" + fmt.Sprintf([]string{
		"Another client works on the store too: between your calls it may add to numbers and set values. What it does must stay done. It makes its last change before your call number %d.",
		"You are not alone: between two of your calls, another client may set a value or add to a number, and none of that may be lost. From your call number %d on, it does nothing more.",
		"Between your calls another client changes the store as well, by adding to numbers and by setting values. Keep all of its changes. The last of them comes before your call number %d.",
	}[wording], quiet)
}

// task says what is to be done.
func (p pairs) task(wording int) string {
	switch p.Kind {
	case renamePrefix:
		return fmt.Sprintf([]string{
			"Rename all keys that begin with `%s`, so that they begin with `%s` instead, and keep their values. The answer is how many they are.",
			"Every key that begins with `%s` shall get the beginning `%s` in its place; the rest of the key and the value stay. Answer with the number of these keys.",
			"Replace the prefix `%s` of keys by `%s`, without a change of the values. How many keys had the old prefix? That is the answer.",
		}[wording], p.From, p.To)
	case mergeCounters:
		return fmt.Sprintf([]string{
			"Merge counters: add the number of each key `%[1]sNAME` to that of the key `%[2]sNAME`, which may not exist yet and then counts as 0, and delete `%[1]sNAME`. The answer is how many keys you deleted.",
			"The counters `%[1]sNAME` move: each is added to the counter `%[2]sNAME` with the same NAME, or becomes that counter if there is none, and is deleted. Answer with the number of deleted counters.",
			"For every NAME with a key `%[1]sNAME`, increase the number of `%[2]sNAME` by the number of `%[1]sNAME`, creating the key if it is missing; then remove `%[1]sNAME`. How many keys were removed? That is the answer.",
		}[wording], p.From, p.To)
	case electNewest:
		return fmt.Sprintf([]string{
			"Each key `%[1]sNAME` has a number. Set the key `%[2]s` to the NAME whose number is the highest when you finish.",
			"Find the key `%[1]sNAME` with the highest number, and put its NAME into the key `%[2]s`. It must be the right one at the end of your work.",
			"The key `%[2]s` shall hold the NAME of the key `%[1]sNAME` whose number is the greatest at the moment when you finish.",
		}[wording], p.From, p.To)
	}
	var moves []string
	for _, m := range p.Moves {
		moves = append(moves, fmt.Sprintf([]string{"%d from `%s` to `%s`", "%d, taken from `%s` and added to `%s`", "%d out of `%s` into `%s`"}[wording], m.Amount, m.From, m.To))
	}
	text := fmt.Sprintf([]string{
		"The keys that begin with `%s` are accounts, whose values are amounts of money. Move %s.",
		"Accounts are the keys that begin with `%s`, with amounts as their values. These amounts shall move: %s.",
		"Each key that begins with `%s` is an account with an amount. Transfer %s.",
	}[wording], p.From, strings.Join(moves, "; "))
	if p.Strict {
		text += " " + []string{
			"At no moment may all accounts together hold more than they would without you.",
			"The sum of all accounts may never, not even for a moment, be higher than it would be without your work.",
			"Between your calls, too, the accounts may never have a higher sum than they would have if you did nothing.",
		}[wording]
	}
	return text
}

// Answer implements [toolbox.Start].
func (p pairs) Answer() scenario.Param {
	if p.count() == "" {
		return scenario.Param{}
	}
	return scenario.Param{Name: "answer", Doc: "the number of keys", Type: scenario.Int()}
}

// Canonical implements [toolbox.Start].
func (p pairs) Canonical() string { return fmt.Sprint(p) }

// World implements [toolbox.Start].
func (p pairs) World() toolbox.World { return newStore(p) }

// Names and prefixes of drawn stores.
var (
	keyNames = strings.Fields("ada ben carl dana emil fay gus hana ivan jo kim lea max nora otto pia quin rosa sam tess ugo vera will xenia yara zoe " +
		"arno bela cleo dora enzo flo gina hugo ines jana kai luis mina nils olga paul rita sven tara uwe vito wanda yves zara")
	renames = [][2]string{{"user:", "member:"}, {"img/", "picture/"}, {"cfg.", "config."}, {"tmp-", "cache-"}}
	merges  = [][2]string{{"hits:", "views:"}, {"clicks/", "visits/"}, {"win.", "points."}}
	elects  = [][2]string{{"node:", "leader"}, {"beat/", "newest"}, {"build.", "current"}}
	others  = strings.Fields("session: log/ theme. users: image/ configs. temp- hit: click/ wins. nodes: beats/ builds. accounts/")
)

const accounts = "account:"

// drawKey draws a key that the task is not about.
func drawKey(r *rng.Rand, p pairs) string {
	for {
		key := rng.Pick(r, others) + rng.Pick(r, keyNames)
		if !strings.HasPrefix(key, p.From) && (p.To == "" || !strings.HasPrefix(key, p.To)) {
			return key
		}
	}
}

func text(n int64) string { return strconv.FormatInt(n, 10) }
