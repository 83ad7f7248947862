package environment

import (
	"errors"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/internal/settings"
)

// The kinds of servers.
const (
	OpenAI = "openai" // to be probed
	VLLM   = "vllm"
	SGLang = "sglang"
)

// Special names of models and tokenizers.
const (
	AnyModel    = "default" // the server's model
	NoTokenizer = "none"    // the environment's tokenizer, or none at all
)

// A Server is an inference server.
type Server struct {
	ModelName   string
	BaseURL     string
	APIKey      string
	ServerType  string
	Timeout     float64 // seconds
	MaxRequests int     // in flight
	Tokenizer   string  // "none": the environment's

	unneeded unneeded
}

// classServer returns the defaults of Atropos' APIServerConfig.
func classServer() Server {
	return Server{ModelName: AnyModel, ServerType: OpenAI, Timeout: 1200, MaxRequests: 512, Tokenizer: NoTokenizer}
}

// defaultServer returns the server of config_init.
func defaultServer() Server {
	s := classServer()
	s.ModelName, s.BaseURL, s.APIKey, s.MaxRequests = "NousResearch/DeepHermes-3-Llama-3-8B-Preview", "http://localhost:9004/v1", "x", 128
	return s
}

// Declare implements [settings.Declarer].
func (s *Server) Declare(d *settings.Section) {
	d.Text(&s.ModelName, "model_name", "name of the model")
	d.Text(&s.BaseURL, "base_url", "address of the server; ends with /v1").Given("the address of the server, such as http://localhost:9004/v1")
	d.Value(text{&s.APIKey}, "api_key", "API key for the server").Null()
	d.Text(&s.ServerType, "server_type", "kind of server; openai: find out").OneOf(OpenAI, VLLM, SGLang)
	d.Float(&s.Timeout, "timeout", "time limit of one request, in seconds").Above(0)
	d.Int(&s.MaxRequests, "num_max_requests_at_once", "concurrent requests; the environment gets the share of its weight").AtLeast(1)
	d.Value(text{&s.Tokenizer}, "tokenizer_name", "same as env.tokenizer_name, and overrides it unless none").Null()
	s.unneeded.declare(d, "num_requests_for_eval", "rolling_buffer_length", "n_kwarg_is_ignored", "health_check")
}

// An onlyServer declares the settings of a server below "openai", for its flags.
type onlyServer struct{ *Server }

// Declare implements [settings.Declarer].
func (s onlyServer) Declare(d *settings.Section) {
	d.Section(s.Server, "openai", "the inference server")
}

// Servers lists one or more servers of one model. An object overrides the default server;
// elements of a list override the defaults of Atropos' class.
type Servers []Server

// Take implements [settings.Value].
func (s *Servers) Take(v any) error {
	if v == nil {
		return nil
	}
	list, several := v.([]any)
	if !several {
		one, err := takeServer(defaultServer(), v)
		if err != nil {
			return err
		}
		*s = Servers{one}
		return nil
	}
	*s = make(Servers, len(list))
	for i, one := range list {
		var err error
		if (*s)[i], err = takeServer(classServer(), one); err != nil {
			return settings.Within(err, i)
		}
	}
	return nil
}

// takeServer sets the fields of a server from an object.
func takeServer(s Server, v any) (Server, error) {
	fields, ok := v.(map[string]any)
	if !ok {
		return s, fmt.Errorf("is %v, want a group of settings", v)
	}
	err := settings.Take(&s, fields)
	return s, err
}

// Set implements [settings.Value]. There is no flag for all servers.
func (s *Servers) Set(string) error { return errors.New("there is no flag for all servers") }

// Give implements [settings.Value]. It leaves out the keys.
func (s *Servers) Give() any {
	list := make([]any, len(*s))
	for i, one := range *s {
		list[i] = map[string]any{"model_name": one.ModelName, "base_url": one.BaseURL, "server_type": one.ServerType}
	}
	return list
}

// String implements [settings.Value].
func (s *Servers) String() string { return strings.Join(s.URLs(), ",") }

// Type implements [settings.Value].
func (s *Servers) Type() string { return "servers" }

// URLs lists the addresses.
func (s *Servers) URLs() []string {
	urls := make([]string, len(*s))
	for i, one := range *s {
		urls[i] = one.BaseURL
	}
	return urls
}

// Requests returns the concurrent requests of all servers.
func (s *Servers) Requests() (sum int) {
	for _, one := range *s {
		sum += one.MaxRequests
	}
	return sum
}

// check reports what the servers fail to have in common.
func (s *Servers) check() error {
	if len(*s) == 0 {
		return errors.New("openai: has no server, want one or more")
	}
	first := (*s)[0]
	for i, one := range *s {
		for _, of := range []struct{ name, is, want string }{
			{"model_name", one.ModelName, first.ModelName}, {"server_type", one.ServerType, first.ServerType},
			{"api_key", one.APIKey, first.APIKey}, {"tokenizer_name", one.Tokenizer, first.Tokenizer},
		} {
			if of.is != of.want {
				return fmt.Errorf("openai[%d].%s: differs from the first server's: all servers must have one model and one key", i, of.name)
			}
		}
	}
	return nil
}
