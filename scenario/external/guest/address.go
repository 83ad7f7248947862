package guest

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/command"
	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/nearest"
)

// An Address names an environment: SCHEME:NAME[#PART][?KEY=VALUE&…], where values are percent-encoded,
// or for the schemes of servers and programs SCHEME:REST, with all of a URL or a command line as the
// Name. It is a value, and never changed.
type Address struct {
	Scheme string
	Name   string     // an @ belongs to it
	Part   string     // empty: none
	Query  url.Values // without the weight
	Weight float64    // share of a mixture, relative to the others; more than 0
}

// mostWeight exceeds any weight, so that their sum stays finite.
const mostWeight = 1e9

// A scheme says how an address goes on.
type scheme struct {
	name, example string
	form          form
}

// A form is the form of what follows a scheme.
type form int

const (
	named   form = iota // NAME[#PART][?KEY=VALUE]
	listen              // a URL
	either              // a URL, or NAME[#PART][?KEY=VALUE]
	line                // a command line
	anyRest             // a URL or a command line
)

// schemes lists them all.
func schemes() []scheme {
	return []scheme{
		{"agent", "agent:python my_agent.py", line},
		{"command", "command:python my_env.py", line},
		{"gem", "gem:game:GuessTheNumber-v0", named},
		{"gymnasium", "gymnasium:FrozenLake-v1", named},
		{"harbor", "harbor:FOLDER", named},
		{"http", "http://127.0.0.1:8080", listen},
		{"inspect", "inspect:arc.py#easy", named},
		{"mcp", "mcp:npx some-server", anyRest},
		{"nemogym", "nemogym:http://127.0.0.1:8000", either},
		{"openenv", "openenv:http://127.0.0.1:8000", either},
		{"ors", "ors:http://127.0.0.1:8000", listen},
		{"reasoning_gym", "reasoning_gym:chain_sum", named},
		{"textarena", "textarena:GuessTheNumber-v0", named},
		{"verifiers", "verifiers:owner/name@1.0?split=train", named},
	}
}

// Schemes returns the names of all schemes, sorted.
func Schemes() (names []string) {
	for _, s := range schemes() {
		names = append(names, s.name)
	}
	return names
}

// Parse reads an address. A URL alone is that of a program. The error says what is wrong, and what would
// be right.
func Parse(text string) (Address, error) {
	if isURL(text) {
		text = "http:" + text
	}
	word, rest, ok := strings.Cut(text, ":")
	i := slices.IndexFunc(schemes(), func(s scheme) bool { return s.name == word })
	if !ok || i < 0 {
		return Address{}, fmt.Errorf("is %q, want SCHEME:NAME, such as textarena:GuessTheNumber-v0; the schemes are %s%s",
			clip(text), strings.Join(Schemes(), ", "), nearest.Suggest(word, Schemes()))
	}
	of := schemes()[i]
	a := Address{Scheme: of.name, Name: rest, Weight: 1}
	err := errors.New("names nothing")
	if strings.TrimSpace(rest) != "" && !strings.ContainsRune(rest, 0) {
		err = a.read(of.form)
	}
	if err != nil {
		return Address{}, fmt.Errorf("%s: %w, want an address like %s", clip(text), err, of.example)
	}
	return a, nil
}

// read reads what follows the scheme, which is in a.Name.
func (a *Address) read(as form) error {
	switch remote := isURL(a.Name); {
	case as == listen || as == either && remote || as == anyRest && remote:
		_, err := httpclient.ParseURL(a.Name)
		return err
	case as == line || as == anyRest:
		_, err := command.Fields(a.Name)
		return err
	}
	rest, query, _ := strings.Cut(a.Name, "?")
	if strings.Contains(query, "#") {
		return errors.New("has a # behind the ?: the part stands before it, and in a value # is written %23")
	}
	a.Name, a.Part, _ = strings.Cut(rest, "#")
	if a.Name == "" {
		return errors.New("names nothing")
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return fmt.Errorf("has the values %q, which are not percent-encoded: %w", query, err)
	}
	for key, all := range values {
		if key == "" || len(all) != 1 {
			return fmt.Errorf("has %d values for %q, want one for each name", len(all), key)
		}
	}
	if err := a.weigh(values); err != nil {
		return err
	}
	if len(values) > 0 {
		a.Query = values
	}
	return nil
}

// weigh takes the weight out of values.
func (a *Address) weigh(values url.Values) (err error) {
	text := values.Get("weight")
	if !values.Has("weight") {
		return nil
	}
	delete(values, "weight")
	if a.Weight, err = strconv.ParseFloat(text, 64); err != nil || !validWeight(a.Weight) {
		return fmt.Errorf("has the weight %q, want a number above 0 and below %g", text, float64(mostWeight))
	}
	return nil
}

// validWeight is false for NaN, too.
func validWeight(w float64) bool { return w > 0 && w < mostWeight }

// isURL reports whether a text begins like the URL of a server.
func isURL(text string) bool {
	return strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")
}

// Remote reports whether the name is the URL of a server.
func (a Address) Remote() bool { return isURL(a.Name) }

// String returns the address in the form of [Parse], without the weight. Equal strings are the same
// environment.
func (a Address) String() string {
	text := a.Scheme + ":" + a.Name
	if a.Part != "" {
		text += "#" + a.Part
	}
	if len(a.Query) > 0 {
		text += "?" + a.Query.Encode()
	}
	return text
}

// clip returns the beginning of a text, for an error.
func clip(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
