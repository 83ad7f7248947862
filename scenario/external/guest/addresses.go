package guest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/internal/settings"
)

// Addresses are the environments of a run, as a setting: a flag for each, or a list in the file of
// texts and of objects with address and weight. Reading checks them.
type Addresses []Address

// Repeats implements [settings.Repeated]: each line of the text is an address.
func (l *Addresses) Repeats() {}

// Set implements [settings.Value].
func (l *Addresses) Set(text string) error {
	*l = nil
	for one := range strings.Lines(text) {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		if err := l.add(one, 1); err != nil {
			return err
		}
	}
	return nil
}

// add adds an address, and multiplies its weight.
func (l *Addresses) add(text string, weight float64) error {
	a, err := Parse(text)
	if err != nil {
		return err
	}
	for _, other := range *l {
		if other.String() == a.String() {
			return fmt.Errorf("%s is named twice: name it once, with a weight", a)
		}
	}
	a.Weight *= weight
	if !validWeight(a.Weight) {
		return fmt.Errorf("%s has the weight %g, want a number above 0 and below %g", a, a.Weight, float64(mostWeight))
	}
	*l = append(*l, a)
	return nil
}

// Take implements [settings.Value].
func (l *Addresses) Take(v any) error {
	if text, ok := v.(string); ok {
		return l.Set(text)
	}
	list, ok := v.([]any)
	if !ok {
		return errors.New("want an address, such as textarena:GuessTheNumber-v0, or a list of them")
	}
	*l = nil
	for i, one := range list {
		if err := l.takeOne(one); err != nil {
			return settings.Within(err, i)
		}
	}
	return nil
}

// takeOne adds an element of a list.
func (l *Addresses) takeOne(v any) error {
	switch v := v.(type) {
	case string:
		return l.add(v, 1)
	case map[string]any:
		w := weighted{weight: 1}
		if err := settings.Take(&w, v); err != nil {
			return err
		}
		return l.add(w.address, w.weight)
	}
	return errors.New("want an address, or an object with address and weight")
}

// A weighted address is one of a list.
type weighted struct {
	address string
	weight  float64
}

// Declare implements [settings.Declarer].
func (w *weighted) Declare(d *settings.Section) {
	d.Text(&w.address, "address", "of the environment").Given("an address")
	d.Float(&w.weight, "weight", "share of the groups, relative to the others").Above(0).Below(mostWeight)
}

// Give implements [settings.Value].
func (l *Addresses) Give() any {
	list := []any{}
	for _, a := range *l {
		if a.Weight == 1 {
			list = append(list, a.String())
		} else {
			list = append(list, map[string]any{"address": a.String(), "weight": a.Weight})
		}
	}
	return list
}

// String implements [settings.Value]. The weights of servers and programs are left out.
func (l *Addresses) String() string {
	var lines []string
	for _, a := range *l {
		text := a.String()
		if form := strings.ContainsRune(text, '?'); a.Weight != 1 && !a.whole() {
			text += map[bool]string{false: "?", true: "&"}[form] + fmt.Sprintf("weight=%g", a.Weight)
		}
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n")
}

// whole reports whether all after the scheme is the name.
func (a Address) whole() bool {
	for _, s := range schemes() {
		if s.name == a.Scheme {
			return s.form != named && (s.form != either || a.Remote())
		}
	}
	return false
}

// Type implements [settings.Value].
func (l *Addresses) Type() string { return "SCHEME:NAME" }
