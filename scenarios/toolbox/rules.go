package toolbox

import (
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain/task/rng"
)

// A feature is what rules ask about a request.
type feature struct {
	name   string
	values []string // nil: it is a number
	low    int      // the least number
	high   int
	is     string // in a rule; %s is the value
	not    string
}

// The features by their numbers.
const (
	reason = iota // the customer tells it
	wish
	deskOpened
	category // the record of the order tells it
	price
	days
	payment
	shipping
	tier // the record of the customer tells it
	manyFeatures
)

var features = [manyFeatures]feature{
	reason:     {"reason", []string{"damage", "a wrong item", "a change of mind", "a late delivery"}, 0, 0, "the reason is %s", "the reason is not %s"},
	wish:       {"wish", []string{"money back", "a new item", "a repair"}, 0, 0, "the customer wants %s", "the customer does not want %s"},
	deskOpened: {"package", []string{"opened", "unopened"}, 0, 0, "the package is %s", "the package is not %s"},
	category:   {"category", []string{"clothes", "kitchen", "electronics", "toys"}, 0, 0, "the category is %s", "the category is not %s"},
	price:      {"price", nil, 5, 300, "the price is more than %s euros", "the price is at most %s euros"},
	days:       {"days", nil, 1, 60, "the delivery was more than %s days ago", "the delivery was at most %s days ago"},
	payment:    {"payment", []string{"card", "invoice", "cash"}, 0, 0, "the payment was by %s", "the payment was not by %s"},
	shipping:   {"shipping", []string{"standard", "express"}, 0, 0, "the shipping was %s", "the shipping was not %s"},
	tier:       {"tier", []string{"basic", "plus", "gold"}, 0, 0, "the customer's tier is %s", "the customer's tier is not %s"},
}

// A situation has a value of each feature: a number, or the place among the values.
type situation [manyFeatures]int

// A test is true of some situations.
type test struct {
	Feature int  `json:"feature"`
	Value   int  `json:"value"` // what it must be, or of a number, what it must exceed
	Not     bool `json:"not,omitempty"`
}

func (t test) holds(s *situation) bool {
	if t.Feature == price || t.Feature == days {
		return (s[t.Feature] > t.Value) != t.Not
	}
	return (s[t.Feature] == t.Value) != t.Not
}

// String says the test as a clause.
func (t test) String() string {
	f := features[t.Feature]
	value := fmt.Sprint(t.Value)
	if f.values != nil {
		value = f.values[t.Value]
	}
	if t.Not {
		return fmt.Sprintf(f.not, value)
	}
	return fmt.Sprintf(f.is, value)
}

func (t test) check() error {
	if t.Feature < 0 || t.Feature >= manyFeatures {
		return fmt.Errorf("there is no feature %d", t.Feature)
	}
	f := features[t.Feature]
	if f.values != nil && (t.Value < 0 || t.Value >= len(f.values)) || f.values == nil && (t.Value < f.low || t.Value >= f.high) {
		return fmt.Errorf("%s has no value %d", f.name, t.Value)
	}
	return nil
}

// The actions that end a request.
const (
	refund  = "refund"
	half    = "half_refund"
	replace = "replace"
	voucher = "voucher"
	repair  = "repair"
	refuse  = "refuse"
)

var actions = []string{refund, half, replace, voucher, repair, refuse}

// A rule says what to do if all its tests hold, unless an exception does: the first that does counts.
type rule struct {
	When   []test   `json:"when"`
	Do     string   `json:"do"`
	Except []except `json:"except,omitempty"`
}

// An except is an exception to a rule.
type except struct {
	If test   `json:"if"`
	Do string `json:"do"`
}

func (r *rule) applies(s *situation) bool {
	for _, t := range r.When {
		if !t.holds(s) {
			return false
		}
	}
	return true
}

// exception returns the place of the exception that decides; -1: the rule itself does.
func (r *rule) exception(s *situation) int {
	for i, e := range r.Except {
		if e.If.holds(s) {
			return i
		}
	}
	return -1
}

// A clause is a rule, or one of its exceptions.
type clause struct{ rule, except int } // except: -1 for the rule itself

// A manual is the rules. Exactly one of them applies to each situation.
type manual []rule

// decides returns the clause that decides a situation, and the number of rules that apply.
func (m manual) decides(s situation) (c clause, apply int) {
	for i := range m {
		if m[i].applies(&s) {
			c = clause{i, m[i].exception(&s)}
			apply++
		}
	}
	return c, apply
}

// action is what the manual wants in a situation.
func (m manual) action(s situation) string {
	c, _ := m.decides(s)
	return m.do(c)
}

func (m manual) do(c clause) string {
	if c.except >= 0 {
		return m[c.rule].Except[c.except].Do
	}
	return m[c.rule].Do
}

// tests are all tests of the manual.
func (m manual) tests() (all []test) {
	for _, r := range m {
		all = append(all, r.When...)
		for _, e := range r.Except {
			all = append(all, e.If)
		}
	}
	return all
}

// uses reports whether the manual asks about a feature.
func (m manual) uses(f int) bool {
	return slices.ContainsFunc(m.tests(), func(t test) bool { return t.Feature == f })
}

// mostSituations is more than a manual of ours has.
const mostSituations = 50_000

// situations lists those that the manual can tell apart: of a number, those at its thresholds. Too
// many are none.
func (m manual) situations() []situation {
	all := []situation{{price: features[price].low, days: features[days].low}}
	tests := m.tests()
	for f, feature := range features {
		if !m.uses(f) {
			continue
		}
		var values []int
		for v := range feature.values {
			values = append(values, v)
		}
		for _, t := range tests {
			if t.Feature == f && feature.values == nil {
				values = append(values, t.Value, t.Value+1)
			}
		}
		slices.Sort(values)
		values = slices.Compact(values)
		if len(all)*len(values) > mostSituations {
			return nil
		}
		var more []situation
		for _, s := range all {
			for _, v := range values {
				s[f] = v
				more = append(more, s)
			}
		}
		all = more
	}
	return all
}

// cases sorts the situations by the clause that decides them. Without sound, some have no rule or
// several, or some clause can be left out.
func (m manual) cases() (cases map[clause][]situation, sound bool) {
	cases = map[clause][]situation{}
	for _, s := range m.situations() {
		c, apply := m.decides(s)
		if apply != 1 {
			return nil, false
		}
		cases[c] = append(cases[c], s)
	}
	for i, r := range m {
		if len(cases[clause{i, -1}]) == 0 {
			return nil, false
		}
		for j := range r.Except {
			without := m.without(i, j)
			if !slices.ContainsFunc(cases[clause{i, j}], func(s situation) bool { return without.action(s) != r.Except[j].Do }) {
				return nil, false
			}
		}
	}
	return cases, true
}

// without leaves out an exception.
func (m manual) without(rule, except int) manual {
	m = slices.Clone(m)
	m[rule].Except = slices.Delete(slices.Clone(m[rule].Except), except, except+1)
	return m
}

// mostFeatures is the number of features of a manual: more would make too many situations.
const mostFeatures = 6

// drawManual draws rules and exceptions. It divides all situations again and again, and then makes
// exceptions. Some are about a wanted feature, unless that is negative. Without cases, the draw failed.
func drawManual(rules, exceptions, wanted int, r *rng.Rand) (m manual, cases map[clause][]situation) {
	for range 100 {
		used := rng.Different(r, min(mostFeatures, 1+rules), 0, manyFeatures-1)
		if wanted >= 0 && !slices.Contains(used, int64(wanted)) {
			used[0] = int64(wanted)
		}
		m = manual{{}}
		if wanted >= 0 {
			m = divided(m, 0, drawTest(wanted, r))
		}
		for patience := 0; len(m) < rules && patience < 100; patience++ {
			i := r.Between(0, len(m)-1)
			if t := drawTest(int(rng.Pick(r, used)), r); len(m[i].When) < 3 && !about(m[i].When, t.Feature) {
				m = divided(m, i, t)
			}
		}
		for i := range m {
			m[i].Do = rng.Pick(r, actions)
		}
		made := 0
		for patience := 0; made < exceptions && patience < 100; patience++ {
			i := r.Between(0, len(m)-1)
			t := drawTest(int(rng.Pick(r, used)), r)
			if do := rng.Pick(r, actions); do != m[i].Do && len(m[i].Except) < 3 && !about(m[i].When, t.Feature) && !m[i].excepts(t) {
				m[i].Except = append(m[i].Except, except{t, do})
				made++
			}
		}
		if len(m) < rules || made < exceptions {
			continue
		}
		if cases, sound := m.cases(); sound {
			return m, cases
		}
	}
	return nil, nil
}

// excepts reports whether an exception of a rule is about the same value.
func (r rule) excepts(t test) bool {
	return slices.ContainsFunc(r.Except, func(e except) bool {
		return e.If.Feature == t.Feature && (features[t.Feature].values == nil || e.If.Value == t.Value || e.If.Not != t.Not)
	})
}

// about reports whether a test is about a feature.
func about(tests []test, feature int) bool {
	return slices.ContainsFunc(tests, func(t test) bool { return t.Feature == feature })
}

// divided divides a rule in two by a test.
func divided(m manual, i int, t test) manual {
	other := t
	other.Not = !t.Not
	before := m[i].When
	m[i].When = append(slices.Clone(before), t)
	return slices.Insert(m, i+1, rule{When: append(slices.Clone(before), other)})
}

func drawTest(f int, r *rng.Rand) test {
	if features[f].values == nil {
		return test{Feature: f, Value: r.Between(features[f].high/10, features[f].high/2), Not: r.Chance(0.5)}
	}
	return test{Feature: f, Value: r.Between(0, len(features[f].values)-1), Not: r.Chance(0.3)}
}

// complete draws all that does not decide: the features that the manual does not ask about, and
// numbers on the same side of all thresholds.
func (m manual) complete(s situation, r *rng.Rand) situation {
	for f, feature := range features {
		if feature.values != nil {
			if !m.uses(f) {
				s[f] = r.Between(0, len(feature.values)-1)
			}
			continue
		}
		other := s
		other[f] = r.Between(feature.low, feature.high)
		if !slices.ContainsFunc(m.tests(), func(t test) bool { return t.Feature == f && t.holds(&s) != t.holds(&other) }) {
			s = other
		}
	}
	return s
}
