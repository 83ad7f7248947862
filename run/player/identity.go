package player

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// An Identity tells policies apart that make other tokens of the same messages.
type Identity struct {
	Kind   string            `json:"kind,omitempty"`   // Tiny, Script, or Server for an inference server of any kind; empty: not known
	Model  string            `json:"model,omitempty"`  // its name at the server; empty: not known
	Shapes map[string]string `json:"shapes,omitempty"` // what shapes prompts and samples, by setting: a value, or the hash of files; what is not there is not known
}

// Identity returns that of the settings' policy.
func (s *Settings) Identity() (Identity, error) {
	of := Identity{Kind: s.Kind, Shapes: map[string]string{}}
	shapes := map[string]any{"policy.sampling": s.Sampling}
	switch {
	case s.Kind == Script:
		shapes["policy.accuracy"] = s.Script.Accuracy
	case s.Remote():
		of.Kind, of.Model = Server, s.Server.Chat.Model
		files := s.Server.Files
		maps.Copy(of.Shapes, files.Hashes())
		of.Shapes["policy.vocabulary"], of.Shapes["policy.completions"] = files.Vocabulary, s.Server.Chat.Form
		of.Shapes["policy.tool_format"], of.Shapes["policy.trust_messages"] = files.ToolFormat, strconv.FormatBool(files.TrustMessages)
		for name, object := range map[string]map[string]any{"policy.template_vars": files.Vars, "policy.extra_body": s.Server.Chat.Extra} {
			if of.Shapes[name] = ""; len(object) > 0 { // nil and empty are the same
				shapes[name] = object
			}
		}
		shapes["policy.on_drift"] = s.Server.Drift
	}
	for name, value := range shapes {
		text, err := json.Marshal(value)
		if err != nil {
			return of, fmt.Errorf("%s: %w", name, err)
		}
		of.Shapes[name] = string(text)
	}
	return of, nil
}

// Name is for people: that of the model, or else the kind.
func (of Identity) Name() string { return cmp.Or(of.Model, of.Kind) }

// Differs says what makes other tokens under another identity than under this one, as far as
// this one is known; empty: nothing.
func (of Identity) Differs(other Identity) string {
	switch {
	case of.Kind != "" && of.Kind != other.Kind:
		return fmt.Sprintf("policy.kind is %q, and that of the run %q", other.Kind, of.Kind)
	case of.Model != "" && of.Model != other.Model:
		return fmt.Sprintf("policy.model is %q, and that of the run %q", other.Model, of.Model)
	}
	for _, name := range slices.Sorted(maps.Keys(of.Shapes)) {
		if mine, theirs := of.Shapes[name], other.Shapes[name]; mine != theirs {
			return fmt.Sprintf("%s is %.300q, and that of the run %.300q", name, theirs, mine)
		}
	}
	return ""
}

// Complete returns the identity with what only another one knows, from which it does not differ.
func (of Identity) Complete(other Identity) Identity {
	shapes := maps.Clone(other.Shapes)
	maps.Copy(shapes, of.Shapes)
	return Identity{cmp.Or(of.Kind, other.Kind), cmp.Or(of.Model, other.Model), shapes}
}
