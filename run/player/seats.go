package player

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/policy/server"
	"github.com/quintain-rl/quintain/run/kept"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/tiny"
)

// Seats are other policies by their names, with settings of their own. It is a [settings.Value].
type Seats struct {
	given map[string]any
	of    map[string]*Settings
}

// Set implements [settings.Value].
func (s *Seats) Set(text string) error {
	if text == "" {
		*s = Seats{}
		return nil
	}
	v, err := settings.FromJSON([]byte(text))
	if err != nil {
		return fmt.Errorf("is %q, want a JSON object: %w", text, err)
	}
	return s.Take(v)
}

// Take implements [settings.Value].
func (s *Seats) Take(v any) error {
	given, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("is %v, want an object with a policy for each name", v)
	}
	of := map[string]*Settings{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if name == "" || strings.ContainsAny(name, ", ") {
			return fmt.Errorf("has the name %q, want one without commas and blanks", name)
		}
		one, err := newSeat(given[name])
		if err != nil {
			return settings.Within(err, name)
		}
		of[name] = one
	}
	*s = Seats{given, of}
	return nil
}

// newSeat reads the settings of one of them.
func newSeat(v any) (*Settings, error) {
	fields, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("is %v, want an object with settings of a policy, such as url", v)
	}
	kind, _ := fields["kind"].(string)
	of := other(Default(cmp.Or(kind, Server)))
	if url, ok := fields["url"].(string); ok {
		fields = maps.Clone(fields)
		fields["url"] = []any{url}
	}
	err := settings.Take(&of, fields)
	return (*Settings)(&of), err
}

// An other is the settings of one of [Seats].
type other Settings

// Declare implements [settings.Declarer].
func (s *other) Declare(d *settings.Section) { (*Settings)(s).declare(d) }

// Check implements [settings.Checker].
func (s *other) Check() error { return (*Settings)(s).Check() }

// Give implements [settings.Value].
func (s *Seats) Give() any { return s.given }

// String implements [settings.Value].
func (s *Seats) String() string {
	if len(s.given) == 0 {
		return ""
	}
	b, err := json.Marshal(s.given)
	if err != nil {
		return fmt.Sprint(s.given) // not for values of YAML and JSON
	}
	return string(b)
}

// Type implements [settings.Value].
func (s *Seats) Type() string { return "JSON" }

// Opponents are the other policies at the tables of a run.
type Opponents struct {
	By     map[string]rollout.Opponent // by the names of their players
	Beside []func(context.Context) error
}

// Opponents opens the other policies that play at the tables of streams, and reaches their servers.
// Use has what these share with the policy's. The error is an [InvalidError] if there is no such
// policy.
func (s *Settings) Opponents(ctx context.Context, how Start, use server.Use) (all Opponents, err error) {
	for _, player := range rollout.Opponents(how.Streams) {
		one, err := s.opponent(ctx, player, how, use)
		if err != nil {
			return all, fmt.Errorf("players: %s: %w", player, err)
		}
		if all.By == nil {
			all.By = map[string]rollout.Opponent{}
		}
		all.By[player] = one
		if of, runs := one.Policy.(interface{ Run(context.Context) error }); runs {
			all.Beside = append(all.Beside, of.Run)
		}
	}
	return all, nil
}

// opponent opens one of them.
func (s *Settings) opponent(ctx context.Context, player string, how Start, use server.Use) (one rollout.Opponent, err error) {
	name, named := strings.CutPrefix(player, quintain.ServerPlayer)
	if !named {
		return s.frozen(player, how)
	}
	of := s.Seats.of[name]
	if of == nil {
		return one, InvalidError{fmt.Errorf("policy.seats: has no %s, but %q", name, slices.Sorted(maps.Keys(s.Seats.of)))}
	}
	one.Sampling = of.Sampling
	switch {
	case of.Kind == Script:
		one.Policy, err = of.Solver(how.Streams, how.Seed, func() int32 { return 0 })
		return one, err
	case of.Remote():
		say := use.Say
		use.Say, use.Log = func(text string) { say(player + ": " + text) }, use.Log.With("server", player)
		from, err := server.New(of.OfServer(), use)
		if err != nil {
			return one, InvalidError{fmt.Errorf("policy.seats.%s.%w", name, err)}
		}
		one.Policy = from
		return one, from.Reach(ctx)
	default:
		first, err := of.FirstWeights()
		if err != nil {
			return one, err
		}
		one.Policy, err = first.policy(0, how)
		return one, err
	}
}

// frozen opens the tiny policy with the weights of a version that the data folder keeps.
func (s *Settings) frozen(player string, how Start) (one rollout.Opponent, err error) {
	switch {
	case s.Kind != Tiny:
		return one, InvalidError{fmt.Errorf("the weights of the policy %s are not kept here: serve these on a server of their own, and seat that by policy.seats (%sNAME)", s.Kind, quintain.ServerPlayer)}
	case s.Language(how.Data):
		return one, InvalidError{fmt.Errorf("earlier adapters of a language model do not play here: let the policy play itself, or export the model (quintain export model), serve it, and seat that by policy.seats (%sNAME)", quintain.ServerPlayer)}
	case how.Data == "":
		return one, InvalidError{errors.New("earlier weights are only in the data folder of the run: have it play by itself, without workers")}
	}
	version := frozenVersion(player)
	all := versions(how.Data, 0, nil)
	data, err := all.Read(version)
	var lacks *kept.LacksError
	if errors.As(err, &lacks) {
		return one, InvalidError{fmt.Errorf("%w; run.keep_weights keeps more of them", err)}
	}
	if err != nil {
		return one, err
	}
	model, of, err := tiny.ReadVersion(data, nil)
	if err != nil {
		return one, fmt.Errorf("weights of version %d in %s: %w: put back a copy of the file, or seat another version", version, all.Folder, err)
	}
	one.Sampling = s.Sampling
	one.Policy, err = (&Weights{Model: model}).policy(of, how)
	return one, err
}

// frozenVersion is the version in the name of a player; below 0: it has none.
func frozenVersion(player string) int {
	text, frozen := strings.CutPrefix(player, quintain.FrozenPlayer)
	version, err := strconv.Atoi(text)
	if !frozen || err != nil {
		return -1
	}
	return version
}

// versions are the weights that a data folder keeps: every so many, and those that play.
func versions(data string, every int, streams []rollout.Stream) kept.Versions {
	all := kept.Versions{Folder: filepath.Join(data, datadir.Weights), Every: every}
	for _, player := range rollout.Opponents(streams) {
		all.Named = append(all.Named, frozenVersion(player)) // no weights have a version below 0
	}
	return all
}
