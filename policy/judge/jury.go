package judge

import (
	"errors"
	"fmt"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/policy/pool"
	"github.com/quintain-rl/quintain/policy/remote"
)

// Settings are a judge's.
type Settings struct {
	Rubric      string
	URLs        []string
	Command     string
	Model       string
	KeyFile     string
	Timeout     time.Duration
	Retries     int
	Temperature float64
	TopP        float64
	MaxTokens   int
	Limit       int
	Parallel    int
	Calls       int64
	Tokens      int64
	Within      time.Duration
	Cache       string
	Kept        int
	Lengths     bool
	Reward      Reward // of a reward model, in place of Rubric
}

// Defaults returns the default settings. The rubric, the model and who answers are missing.
func Defaults() Settings {
	s := DefaultSampling()
	return Settings{
		Timeout: 10 * time.Minute, Retries: 9, Temperature: s.Temperature, TopP: s.TopP, MaxTokens: s.MaxTokens,
		Limit: 24 << 10, Parallel: 64, Kept: 200_000, Reward: Reward{Batch: 32},
	}
}

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	d.Text(&s.Rubric, "rubric", "YAML or JSON file with the criteria").Flag("rubric")
	d.Texts(&s.URLs, "url", "base URL of a server of chat completions, which ends with /v1; may be given several times, for servers of one model").Flag("url")
	d.Text(&s.Command, "command", "program that judges instead: it reads a request as JSON, and writes the judge's reply").Flag("command")
	d.Text(&s.Model, "model", "the server's name for the judge's model").Given("the name of the judge's model").Flag("model")
	d.Text(&s.KeyFile, "key_file", "file with the API key").Flag("key-file")
	d.Duration(&s.Timeout, "timeout", "time limit of one request to the judge").Above(0).Flag("timeout")
	d.Int(&s.Retries, "retries", "retries of a request after temporary faults").AtLeast(0).Flag("retries")
	d.Float(&s.Temperature, "temperature", "sampling temperature of the judge; votes differ only above 0").AtLeast(0).Flag("temperature")
	d.Float(&s.TopP, "top_p", "sample from the likeliest tokens with this total probability; 1: from all").Between(0, 1).Flag("top-p")
	d.Int(&s.MaxTokens, "max_tokens", "most tokens of a reply of the judge; 0: any number").AtLeast(0).Flag("max-tokens")
	d.Int(&s.Limit, "limit", "most bytes shown of a reply: of a longer one, the beginning and the end").AtLeast(1).Flag("limit")
	d.Int(&s.Parallel, "parallel", "calls to the judge at the same time").AtLeast(1).Flag("parallel")
	d.Int64(&s.Calls, "calls", "most calls to the judge in all; 0: any number").AtLeast(0).Flag("calls")
	d.Int64(&s.Tokens, "tokens", "most tokens of prompts and replies of the judge in all; 0: any number").AtLeast(0).Flag("tokens")
	d.Duration(&s.Within, "within", "how long a reply without a verdict is judged again").AtLeast(0).Flag("within")
	d.Text(&s.Cache, "cache", "folder with verdicts given before; empty: none are kept").Flag("cache")
	d.Int(&s.Kept, "kept", "most verdicts of that folder").AtLeast(8).Flag("kept")
	d.Bool(&s.Lengths, "length_control", "take out of the scores of a group what the lengths of its replies explain, by all groups so far").Flag("length-control")
	d.Section(&s.Reward, "reward", "a reward model in place of a rubric")
}

// Check implements [settings.Checker].
func (s *Settings) Check() error {
	switch {
	case s.Rubric == "" && s.Reward.Kind == "":
		return errors.New("rubric: is \"\", want a file with the criteria, or the kind of a reward model in reward.kind")
	case s.Rubric != "" && s.Reward.Kind != "":
		return errors.New("reward.kind: there is a rubric too, which a reward model does not read; choose one")
	case s.Command != "" && s.Reward.Kind != "":
		return errors.New("reward.kind: there is a command too; want the address of a server (url)")
	case (len(s.URLs) == 0) == (s.Command == ""):
		return errors.New("url: want a server of chat completions, such as http://127.0.0.1:8001/v1, or a command, and not both")
	}
	return nil
}

// A Jury is a judge with all that it uses. The caller closes it.
type Jury struct {
	Judge  *Judge
	Config Config // the judge's
	close  func() error
	trial  *trial // nil: the judge is not tried
}

// OpenJury returns the judge of settings, without contacting its servers.
func OpenJury(s Settings) (j *Jury, err error) {
	j = &Jury{close: func() error { return nil }}
	c := &j.Config
	c.Spent = &Spent{}
	c.Model, c.Limit, c.Parallel, c.Calls, c.Tokens, c.Within, c.LengthControl = s.Model, s.Limit, s.Parallel, s.Calls, s.Tokens, s.Within, s.Lengths
	c.Sampling = quintain.Sampling{Temperature: s.Temperature, TopP: s.TopP, MaxTokens: s.MaxTokens}
	if s.Reward.Kind != "" {
		err = j.rewards(s)
	} else if c.Rubric, err = ReadRubric(s.Rubric); err == nil && s.Command != "" {
		c.Policy = program{s.Command, s.Timeout}
	} else if err == nil {
		err = j.connect(s)
	}
	if err != nil {
		return nil, err
	}
	if s.Cache != "" {
		if c.Cache, err = OpenStore(s.Cache, s.Kept); err != nil {
			return nil, errors.Join(err, j.Close())
		}
		idle := j.close
		j.close = func() error { return errors.Join(idle(), c.Cache.Close()) }
	}
	if j.Judge, err = New(*c); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

// Close closes the connections and the cache.
func (j *Jury) Close() error { return j.close() }

// connect makes the pool of servers. What one of them asks for by Retry-After holds for all calls.
func (j *Jury) connect(s Settings) error {
	from := engines.OpenAISettings{Model: s.Model, KeyFile: s.KeyFile, Timeout: s.Timeout, Retries: s.Retries}
	chat, err := from.Config()
	if err != nil {
		return err
	}
	j.Config.Hold = &Hold{}
	chat.NoLogProbs = true
	chat.Server.Told, chat.Server.MaxInFlight = j.Config.Hold.Told, s.Parallel
	servers, err := pool.NewPolicy(pool.Config{URLs: s.URLs, Server: chat.Server}, func(at remote.Config) (pool.Chat, error) {
		one := chat
		one.Server = at
		return engines.NewOpenAI(one)
	})
	if err != nil {
		return fmt.Errorf("url: %w", err)
	}
	j.Config.Policy = servers
	j.close = func() error { servers.CloseIdle(); return nil }
	return nil
}

// Load sets the settings from the texts of flags, by path, and checks them.
func (s *Settings) Load(given map[string]settings.Given) error {
	return settings.New(s).Load(settings.Sources{Flags: given})
}

// A file has the settings of a judge's file: those of the flags, and how it is tried in a run.
type file struct {
	Of    Settings
	Trial Check
}

// Declare implements [settings.Declarer].
func (f *file) Declare(d *settings.Section) {
	f.Of.Declare(d)
	d.Section(&f.Trial, "check", "how the judge is tried in a run")
}

// Check implements [settings.Checker].
func (f *file) Check() error { return f.Of.Check() }

// ReadJury returns the judge of the settings in a YAML file, with the keys of the flags.
func ReadJury(path string) (*Jury, error) {
	f, err := readFile(path, 0)
	if err != nil {
		return nil, err
	}
	return OpenJury(f.Of)
}

// readFile reads a file. Within is the default for the time in which a reply is judged again.
func readFile(path string, within time.Duration) (*file, error) {
	f := &file{Defaults(), DefaultCheck()}
	f.Of.Within = within
	var from settings.Sources
	if err := from.ReadFile(path); err != nil {
		return nil, err
	}
	return f, settings.New(f).Load(from)
}
