package atropos

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A Registration describes a trainer.
type Registration struct {
	WandbGroup             string
	WandbProject           string
	BatchSize              int    // of a batch in BatchUnit, 1 or more
	BatchUnit              string // not Atropos': sequences, episodes or groups; empty: sequences
	MaxBatchSize           int    // not Atropos': the most that a batch may have; below BatchSize: as much
	MaxTokenLen            int    // tokens in a sequence
	CheckpointDir          string
	SaveCheckpointInterval int // steps
	StartingStep           int
	NumSteps               int
}

// DecodeRegistration reads the registration of a trainer. An error is an
// [*Error].
func DecodeRegistration(data []byte) (Registration, error) {
	var r Registration
	f := record(data, []field{
		{"wandb_group", text(&r.WandbGroup)},
		{"wandb_project", text(&r.WandbProject)},
		{"batch_size", number(&r.BatchSize, 1)},
		{"max_token_len", number(&r.MaxTokenLen, math.MinInt32)},
		{"checkpoint_dir", text(&r.CheckpointDir)},
		{"save_checkpoint_interval", number(&r.SaveCheckpointInterval, math.MinInt32)},
		{"starting_step", number(&r.StartingStep, math.MinInt32)},
		{"num_steps", number(&r.NumSteps, math.MinInt32)},
		{"batch_unit?", word(&r.BatchUnit, "sequences", "episodes", "groups")},
		{"max_batch_size?", number(&r.MaxBatchSize, 0)},
	})
	if f != nil {
		return Registration{}, f
	}
	return r, nil
}

// MaxWeight is the highest weight of an environment: sums of weights stay finite.
const MaxWeight = 1e9

// maxName limits the bytes of a text in a registration.
const maxName = 4096

// An EnvRegistration describes an environment.
type EnvRegistration struct {
	MaxTokenLength     int
	DesiredName        string
	Weight             float64  // its share among all environments, relative to their weights; at most MaxWeight either way
	GroupSize          int      // sequences per group
	MinBatchAllocation *float64 // share of each batch, 0 to 1; nil: none

	// Instance is not Atropos': the same each time that the environment registers; empty: none.
	Instance string
}

// DecodeEnvRegistration reads the registration of an environment. An error is an
// [*Error].
func DecodeEnvRegistration(data []byte) (EnvRegistration, error) {
	var r EnvRegistration
	f := record(data, []field{
		{"max_token_length", number(&r.MaxTokenLength, math.MinInt32)},
		{"desired_name", text(&r.DesiredName)},
		{"weight", float(&r.Weight, -MaxWeight, MaxWeight)},
		{"group_size", number(&r.GroupSize, 1)},
		{"min_batch_allocation?", func(s *scanner) (f *Error) {
			if s.word("null") {
				return nil
			}
			r.MinBatchAllocation = new(float64)
			return float(r.MinBatchAllocation, 0, 1)(s)
		}},
		{"instance?", text(&r.Instance)},
	})
	if f != nil {
		return EnvRegistration{}, f
	}
	return r, nil
}

// A VersionReport tells versions of weights, each 0 or more.
type VersionReport struct {
	Version int32
	Servers map[string]int32 // of single servers, by their addresses; nil: the report tells of none
}

// maxServers is the most servers in a report.
const maxServers = 4096

// DecodeVersion reads a report: {"version": 3, "servers": {"http://engine:8001": 2}}. An error is
// an [*Error].
func DecodeVersion(data []byte) (VersionReport, error) {
	var r VersionReport
	var v int
	if f := record(data, []field{{"version", number(&v, 0)}, {"servers?", r.readServers}}); f != nil {
		return VersionReport{}, f
	}
	r.Version = int32(v)
	return r, nil
}

// readServers reads the versions of servers.
func (r *VersionReport) readServers(s *scanner) *Error {
	if s.word("null") {
		return nil
	}
	r.Servers = map[string]int32{}
	return s.object(func(key []byte) *Error {
		at, err := url.Parse(string(key))
		if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" || at.User != nil || len(key) > maxName {
			return &Error{Type: TypeValue, Msg: "should be the address of a server, such as http://engine:8001"}
		}
		if len(r.Servers) == maxServers {
			return &Error{Type: TypeValue, Msg: fmt.Sprintf("is one server more than %d", maxServers)}
		}
		var v int
		f := number(&v, 0)(s)
		r.Servers[string(key)] = int32(v)
		return f
	})
}

// DecodeEnvID reads a request that contains only an env_id. An error is an [*Error].
func DecodeEnvID(data []byte) (int, error) {
	var id int
	if f := record(data, []field{{"env_id", number(&id, math.MinInt32)}}); f != nil {
		return 0, f
	}
	return id, nil
}

// DecodeFields reads a request that is not Atropos', by the JSON names of in. An error is an
// [*Error].
func DecodeFields(data []byte, in any) error {
	err := strictjson.Unmarshal(data, in)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return &Error{Type: TypeValue, Loc: []any{wrong.Field}, Msg: "should be of type " + wrong.Type.String()}
	}
	if err != nil {
		return &Error{Type: TypeUnreadable, Loc: []any{}, Msg: "the body is no JSON"}
	}
	return nil
}

// A field is a field of a request: its name, followed by a question mark if the field is
// optional, and the function that reads it.
type field struct {
	name string
	read func(*scanner) *Error
}

// record reads data, an object with the given fields; it ignores others.
func record(data []byte, fields []field) *Error {
	_, f := document(data, nil, func(s *scanner) (none struct{}, f *Error) {
		seen := make([]bool, len(fields))
		f = s.object(func(key []byte) *Error {
			for i, want := range fields {
				if string(key) == want.name || string(key)+"?" == want.name {
					seen[i] = true
					return want.read(s)
				}
			}
			return s.skip(2)
		})
		for i, want := range fields {
			if f == nil && !seen[i] && want.name[len(want.name)-1] != '?' {
				f = &Error{Type: TypeMissing, Loc: []any{want.name}, Msg: "Field required"}
			}
		}
		return none, f
	})
	return f
}

func text(dst *string) func(*scanner) *Error {
	return func(s *scanner) *Error {
		if s.peek() != '"' {
			return s.wrong(TypeString, "Input should be a valid string")
		}
		t, f := s.text()
		if len(t) > maxName {
			return &Error{Type: TypeValue, Msg: "Input should have at most " + strconv.Itoa(maxName) + " bytes"}
		}
		*dst = string(t)
		return f
	}
}

// word reads one of several words.
func word(dst *string, words ...string) func(*scanner) *Error {
	return func(s *scanner) *Error {
		if f := text(dst)(s); f != nil {
			return f
		}
		if !slices.Contains(words, *dst) {
			return &Error{Type: TypeValue, Msg: "Input should be one of " + strings.Join(words, ", "), Input: strconv.Quote(*dst)}
		}
		return nil
	}
}

// number reads an integer from low to the highest of 32 bits.
func number(dst *int, low int64) func(*scanner) *Error {
	return func(s *scanner) *Error {
		v, f := s.int(low, math.MaxInt32)
		*dst = int(v)
		return f
	}
}

// float reads a number from low to high.
func float(dst *float64, low, high float64) func(*scanner) *Error {
	return func(s *scanner) (f *Error) {
		v, f := s.float()
		if f == nil && (v < low || v > high) {
			number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
			return &Error{Type: TypeRange, Msg: "Input should be between " + number(low) + " and " + number(high), Input: strconv.FormatFloat(v, 'g', -1, 64)}
		}
		*dst = v
		return f
	}
}
