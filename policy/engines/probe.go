package engines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/remote"
)

// A Report is the result of a probe.
type Report struct {
	URL           string           `json:"url"`
	Server        Kind             `json:"server"`
	Version       string           `json:"version,omitempty"` // as the server reports it
	Models        []string         `json:"models"`
	Model         string           `json:"model"`          // the probed one
	File          string           `json:"file,omitempty"` // or folder of the model, on the server's machine, as it tells it
	WeightVersion string           `json:"weight_version,omitempty"`
	Can           policy.Abilities `json:"can"`             // by its own route, or else by chat completions
	Notes         []string         `json:"notes,omitempty"` // failures, and their remedies
	Fault         error            `json:"-"`               // why Can holds no way to sample; nil: it does
	TokensFault   error            `json:"-"`               // why its own route samples nothing; nil: it does, or it has none

	// Text holds its abilities in text completions, tried only if it takes no tokens; nil:
	// it has none, for the reason in TextFault, or was not tried.
	Text      *policy.Abilities `json:"text,omitempty"`
	TextFault error             `json:"-"`
}

// retries is the number of further tries after a temporary fault of a server that answers,
// whatever the settings say of other requests.
const retries = 2

// Probe asks the server of cfg for its kind and its models, and samples a token or two from
// model, or from its first model if that is empty. A given kind is believed. The error, a
// [*remote.Error] or the cause of ctx, says why the address is of no use.
func Probe(ctx context.Context, cfg remote.Config, model string, kind Kind) (*Report, error) {
	cfg.URL, cfg.Retries = remote.Root(cfg.URL), retries
	server, err := remote.New(cfg)
	if err != nil {
		return nil, err
	}
	defer server.CloseIdle()
	r := &Report{URL: cfg.URL, Server: KindOpenAI, Model: model}
	owner, err := r.choose(ctx, server)
	if err != nil && (model == "" || !answered(err)) {
		return nil, err
	}
	r.identify(ctx, server, owner)
	if r.Server = cmp.Or(kind, r.Server); err != nil && r.Server != KindOpenAI {
		return nil, err
	}
	r.try(ctx, cfg)
	if err != nil && r.Fault != nil && r.Text == nil {
		return nil, err
	}
	return r, context.Cause(ctx)
}

// choose asks for the server's models, takes the first if r names none, and returns the
// owner of the first. The error may say that the server does not list the named model.
func (r *Report) choose(ctx context.Context, server *remote.Server) (owner string, err error) {
	if owner, err = r.models(ctx, server); err != nil {
		return owner, err
	}
	r.Model = cmp.Or(r.Model, r.Models[0])
	if !slices.Contains(r.Models, r.Model) {
		return owner, server.Fault(&remote.Error{
			Kind: remote.UnknownModel, Err: fmt.Errorf("no model %q; the server has %s", r.Model, strings.Join(r.Models, ", ")),
		}, "v1/models", nil)
	}
	return owner, nil
}

// answered reports whether err is about an answer. An answer without the named model need
// not mean much: transformers serve lists the models of a cache, if there is one, and
// serves another from elsewhere.
func answered(err error) bool {
	fault, ok := errors.AsType[*remote.Error](err)
	return ok && fault.Status != 0
}

// get requests path. A server that does not answer is asked once.
func get(ctx context.Context, server *remote.Server, path, missing string) (body []byte, err error) {
	failed := remote.NewRetry(remote.Config{Retries: retries}).Do(ctx, func() *remote.Error {
		body, err = server.Get(ctx, path, missing)
		if fault, ok := errors.AsType[*remote.Error](err); ok && fault.Status != 0 {
			return fault
		}
		return nil
	})
	return body, cmp.Or(failed, err)
}

// models asks for the server's models, and returns the owner of the first.
func (r *Report) models(ctx context.Context, server *remote.Server) (owner string, err error) {
	body, err := get(ctx, server, "v1/models", "is this the address of an inference server?")
	if err != nil {
		return "", err
	}
	var list struct {
		Data []struct {
			ID    string `json:"id"`
			Owner string `json:"owned_by"`
		} `json:"data"`
	}
	if fault := remote.Decode(body, &list); fault != nil {
		fault.Remedy = "is this the address of an inference server?"
		return "", server.Fault(fault, "v1/models", body)
	}
	for _, m := range list.Data {
		r.Models = append(r.Models, m.ID)
	}
	if len(r.Models) == 0 {
		return "", server.Fault(remote.Nonsensef("the server has no models"), "v1/models", body)
	}
	return list.Data[0].Owner, nil
}

// identify finds out the kind of the server by requests that only that kind answers.
func (r *Report) identify(ctx context.Context, server *remote.Server, owner string) {
	var info info
	ask := func(path string) bool {
		body, err := get(ctx, server, path, "")
		return err == nil && strictjson.Unmarshal(body, &info) == nil
	}
	for _, k := range kinds() {
		if k.found == nil {
			continue
		}
		if version, found := k.found(owner, ask, &info); found {
			r.Server, r.Version = k.Kind, version
			break
		}
	}
	r.File = info.Model
	r.WeightVersion = strings.Trim(string(info.Weights), `"`)
	_, r.Can.Versions = remote.ParseVersion(info.Weights)
}

// try samples a token by the server's own route, or a few by chat completions.
func (r *Report) try(ctx context.Context, cfg remote.Config) {
	if r.Server == KindOpenAI {
		r.complete(ctx, cfg)
		return
	}
	generator, err := Generator(r.Server, cfg, r.Model)
	if err != nil {
		r.Fault = err
		r.note("tokens", err)
		return
	}
	defer generator.CloseIdle()
	outputs, err := generator.Generate(ctx, policy.Prompt{
		Tokens: []quintain.Token{65}, N: 1, Sampling: quintain.Sampling{Temperature: 1, MaxTokens: 1},
	})
	if r.TokensFault = err; err != nil {
		r.note("tokens", err)
		r.complete(ctx, cfg)
		return
	}
	versions := r.Can.Versions
	r.Can = generator.Can()
	r.Can.Versions = versions
	r.Can.LogProbs = outputs[0].LogProbs != nil || r.Server.Traits().Partial
}

// complete tries chat completions and text completions.
func (r *Report) complete(ctx context.Context, cfg remote.Config) {
	cfg.URL += "/v1"
	var chat, text policy.Abilities
	chat, r.Fault = r.sample(ctx, OpenAIConfig{Server: cfg})
	r.Can.TokensOut, r.Can.LogProbs = chat.TokensOut, chat.LogProbs
	r.note("chat completions", r.Fault)
	text, r.TextFault = r.sample(ctx, OpenAIConfig{Server: cfg, Prompt: exact.Paragraphs})
	if r.TextFault == nil {
		r.Text = &text
	} else if r.Fault != nil {
		r.note("text completions", r.TextFault)
	}
}

// sample tries completions of a form with all options, then with fewer.
func (r *Report) sample(ctx context.Context, of OpenAIConfig) (can policy.Abilities, err error) {
	request := quintain.Request{
		N: 1, Messages: []quintain.Message{{Role: quintain.RoleUser, Content: "Hi"}}, Sampling: quintain.Sampling{Temperature: 1, TopP: 1, MaxTokens: 1},
	}
	of.Model = r.Model
	for _, with := range []struct{ tokens, probs bool }{{true, true}, {false, true}, {false, false}} {
		of.TokenIDs, of.NoLogProbs = with.tokens, !with.probs
		client, bad := NewOpenAI(of)
		if bad != nil {
			return can, bad
		}
		var samples []quintain.Sample
		samples, err = client.Sample(ctx, request)
		client.CloseIdle()
		if err == nil {
			return policy.Abilities{TokensOut: with.tokens, LogProbs: with.probs && samples[0].LogProbs != nil}, nil
		}
		fault, ok := errors.AsType[*remote.Error](err)
		if !ok || fault.Kind != remote.Unsupported && fault.Status != http.StatusBadRequest && fault.Status != http.StatusUnprocessableEntity {
			break
		}
	}
	return can, err
}

// note records a failure.
func (r *Report) note(what string, err error) {
	if err != nil {
		r.Notes = append(r.Notes, what+": "+err.Error())
	}
}
