package harbor

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// Files that tests leave in /logs/verifier.
const (
	RewardText = "reward.txt"
	RewardJSON = "reward.json"
	TestOutput = "test-stdout.txt"
)

// MostReward is the most bytes of a file with a reward.
const MostReward = 64 << 10

// A Kind says why tests gave no reward.
type Kind string

// The kinds.
const (
	NoReward     Kind = "no_reward"
	Unreadable   Kind = "reward_unreadable"
	NoKey        Kind = "reward_key"
	Forged       Kind = "reward_forged"
	TestsKilled  Kind = "tests_killed"
	TestsTimeout Kind = "tests_timeout"
)

// A Fault is that tests gave no reward.
type Fault struct {
	Kind Kind
	Why  string
}

// Error implements error.
func (f *Fault) Error() string { return string(f.Kind) + ": " + f.Why }

// A Reward is what tests gave.
type Reward struct {
	Value   float64
	Metrics map[string]float64 // the other numbers of a reward.json; nil: none
}

// A Left is a file with a reward.
type Left struct {
	Text []byte
	Err  error // why it cannot be read: it is a link, or too large, say
}

// A Verdict is what the tests left.
type Verdict struct {
	Text, JSON *Left // nil: there is none
	NamesBoth  bool  // a file of tests/ names both
	Key        string
}

// Reward returns the reward. The error is a [*Fault]. Only what is truly written is a reward: nothing that is
// missing or wrong becomes a number.
func (v Verdict) Reward() (Reward, error) {
	switch {
	case v.Text != nil && v.JSON != nil && !v.NamesBoth:
		return Reward{}, &Fault{Forged, "there are reward.txt and reward.json, and the tests write one of them"}
	case v.JSON != nil:
		return v.JSON.object(v.Key)
	case v.Text != nil:
		return v.Text.number()
	}
	return Reward{}, &Fault{NoReward, "the tests left no reward"}
}

// unreadable returns a fault that shows what stands in a file.
func unreadable(name string, text []byte, why any) error {
	const most = 80
	shown := strconv.QuoteToASCII(string(text[:min(len(text), most)]))
	if len(text) > most {
		shown += fmt.Sprintf("… of %d bytes", len(text))
	}
	return &Fault{Unreadable, fmt.Sprintf("%s: %v: %s", name, why, shown)}
}

// numberForm is that of a number in a reward.txt.
var numberForm = compiled.Regexp(`^[ \t\n\r\v\f]*([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[ \t\n\r\v\f]*$`)

// number reads a reward.txt.
func (l *Left) number() (r Reward, err error) {
	if l.Err != nil {
		return r, &Fault{Unreadable, RewardText + ": " + l.Err.Error()}
	}
	at := numberForm().FindSubmatch(l.Text)
	if at == nil {
		return r, unreadable(RewardText, l.Text, "want a number")
	}
	x, err := strconv.ParseFloat(string(at[1]), 64)
	if err != nil || math.IsInf(x, 0) {
		return r, unreadable(RewardText, l.Text, "is beyond all numbers")
	}
	return Reward{Value: x}, nil
}

// mostKeys bounds the numbers of a reward.json.
const mostKeys = 1000

// object reads a reward.json. key names the reward in it; empty: nobody says.
func (l *Left) object(key string) (r Reward, err error) {
	if l.Err != nil {
		return r, &Fault{Unreadable, RewardJSON + ": " + l.Err.Error()}
	}
	if fault := strictjson.Check(l.Text, 2); fault != nil {
		return r, unreadable(RewardJSON, l.Text, fault)
	}
	var members map[string]any
	if err := strictjson.Unmarshal(l.Text, &members); err != nil || members == nil {
		return r, unreadable(RewardJSON, l.Text, "want an object of numbers")
	}
	numbers := map[string]float64{}
	for name, v := range members {
		switch v := v.(type) {
		case float64:
			numbers[name] = v
		case bool:
			numbers[name] = map[bool]float64{true: 1}[v]
		default:
			return r, unreadable(RewardJSON, l.Text, errors.New("want numbers alone"))
		}
	}
	switch {
	case len(numbers) == 0:
		return r, &Fault{NoReward, RewardJSON + " is {}"}
	case len(numbers) > mostKeys:
		return r, unreadable(RewardJSON, l.Text, fmt.Sprintf("has more than %d numbers", mostKeys))
	}
	return chosen(numbers, key)
}

// chosen returns the reward among numbers: that of key, of "reward", or the only one.
func chosen(numbers map[string]float64, key string) (Reward, error) {
	_, has := numbers[key]
	_, usual := numbers["reward"]
	switch {
	case has && key != "":
	case usual:
		key = "reward"
	case len(numbers) == 1:
		for key = range numbers {
		}
	default:
		return Reward{}, &Fault{NoKey, fmt.Sprintf(`%s has %d numbers and none is called "reward": name it in harbor.reward_key`, RewardJSON, len(numbers))}
	}
	r := Reward{Value: numbers[key]}
	if delete(numbers, key); len(numbers) > 0 {
		r.Metrics = numbers
	}
	return r, nil
}
