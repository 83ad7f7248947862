package judge

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/text/chattemplate"
)

// A Reward says that a reward model judges in place of a rubric.
type Reward struct {
	Kind     RewardKind // empty: none does
	Template string     // file of the chat template of its model; empty: its server renders
	Class    int
	Sigmoid  bool
	Batch    int
	Label    string // the column with the known answer; empty: none is sent
}

// Declare implements [settings.Declarer].
func (r *Reward) Declare(d *settings.Section) {
	kinds := []string{""}
	for _, kind := range RewardKinds() {
		kinds = append(kinds, string(kind))
	}
	settings.Word(d, &r.Kind, "kind", "form of the servers of a reward model, which judges in place of a rubric; empty: a rubric").OneOf(kinds...).Flag("reward-kind")
	d.Text(&r.Template, "template", "the model's chat_template.jinja or tokenizer_config.json; empty: the server renders conversations, which only vLLM does")
	d.Int(&r.Class, "class", "place of the reward among several numbers of a reply, from 1; 0: there is one").AtLeast(0)
	d.Bool(&r.Sigmoid, "sigmoid", "turn rewards into numbers from 0 to 1")
	d.Int(&r.Batch, "batch", "most replies of one request").AtLeast(1)
	d.Text(&r.Label, "label", "column of the problem with a known answer, for servers of OpenRLHF's form; empty: none is sent")
}

// rewards makes the client of a reward model.
func (j *Jury) rewards(s Settings) error {
	r, c := s.Reward, &j.Config
	c.Rubric = DefaultRubric()
	c.Rubric.Reference = r.Label
	c.Model = fmt.Sprint(s.Model, " ", r.Kind, " ", r.Class, " ", r.Sigmoid)
	from := engines.OpenAISettings{Model: s.Model, KeyFile: s.KeyFile, Timeout: s.Timeout, Retries: s.Retries}
	chat, err := from.Config()
	if err != nil {
		return err
	}
	c.Hold = &Hold{}
	chat.Server.Told, chat.Server.MaxInFlight = c.Hold.Told, s.Parallel
	to := RewardConfig{Kind: r.Kind, URLs: s.URLs, Model: s.Model, Server: chat.Server, Class: r.Class, Sigmoid: r.Sigmoid, Batch: r.Batch}
	if r.Template != "" {
		if to.Render, err = renderer(r.Template); err != nil {
			return fmt.Errorf("reward.template: %w", err)
		}
	}
	client, err := NewRewardModel(to)
	if err != nil {
		return err
	}
	c.Rewards = client.Rewards
	j.close = func() error { client.CloseIdle(); return nil }
	return nil
}

// renderer returns what writes conversations by the chat template in a file.
func renderer(path string) (func([]quintain.Message) (string, error), error) {
	files := exact.TemplateFiles{Template: path}
	if filepath.Ext(path) == ".json" {
		files = exact.TemplateFiles{Config: path}
	}
	chat, err := files.Load()
	if err != nil {
		return nil, err
	}
	return func(messages []quintain.Message) (string, error) {
		text, err := json.Marshal(map[string]any{"messages": messages})
		if err != nil {
			return "", err
		}
		vars, err := chattemplate.ParseVars(text)
		if err != nil {
			return "", err
		}
		out, err := chat.Render(vars, chattemplate.Options{Now: time.Now()})
		return out.Text, err
	}, nil
}
