package problems

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/internal/compiled"
)

// A form is how a data set writes a row.
type form struct {
	name    string
	columns []string // that it is found by; "a|b" is either
	compare codegrade.Compare
	is      func(r row) bool // whether a row of these columns is of code; nil: it is

	// read sets statement, starter, solutions and difficulty of a problem, and returns what its
	// tests may be, the likely ones first.
	read func(r row, p *Problem) ([]codegrade.Tests, error)
}

// forms are looked through in this order.
var forms = []form{
	{"quintain", []string{"statement", "tests"}, codegrade.Lines, nil, readOwn},
	{"LiveCodeBench", []string{"question_content", "public_test_cases"}, codegrade.LCB, nil, readLiveCodeBench},
	{"NeMo Gym", []string{"responses_create_params", "verifier_metadata"}, codegrade.LCB, nil, readNeMoGym},
	{"verl", []string{"prompt", "reward_model"}, codegrade.Trim, tested, readVerl},
	{"SYNTHETIC-1", []string{"prompt|problem_statement", "verification_info"}, codegrade.Lines, nil, readSynthetic},
	{"BigCodeBench", []string{"instruct_prompt|complete_prompt", "test", "entry_point"}, "", nil, readBigCodeBench},
	{"HumanEval", []string{"prompt", "test", "entry_point"}, "", nil, readHumanEval},
	{"MBPP", []string{"text|prompt", "test_list"}, "", nil, readMBPP},
	{"Codeforces", []string{"description", "official_tests"}, codegrade.Tokens, nil, readCodeforces},
	{"DeepCoder", []string{"problem", "tests"}, codegrade.LCB, nil, readDeepCoder},
	{"APPS", []string{"question|prompt|problem", "input_output"}, codegrade.Lines, nil, readAPPS},
	{"KodCode", []string{"question", "solution", "test"}, "", nil, readKodCode},
	{"SandboxFusion", []string{"content", "test"}, codegrade.Lines, nil, readFusion},
}

// formOf finds the form of a row by its columns.
func formOf(r row) (form, error) {
	for _, f := range forms {
		if !slices.ContainsFunc(f.columns, func(name string) bool { return !r.has(name) }) && (f.is == nil || f.is(r)) {
			return f, nil
		}
	}
	var known []string
	for _, f := range forms {
		known = append(known, strings.Join(f.columns, " and ")+" ("+f.name+")")
	}
	const most = 200 // bytes of the names to show
	columns := strings.Join(slices.Sorted(maps.Keys(r)), ", ")
	return form{}, fmt.Errorf("the columns %.*s are of no known form: name them as in a known one: %s", most, columns, strings.Join(known, "; "))
}

// has reports whether a row has a column, or one of several between bars.
func (r row) has(names string) bool {
	return slices.ContainsFunc(strings.Split(names, "|"), func(name string) bool { _, has := r[name]; return has })
}

// readAPPS reads a row of APPS or TACO, or of AReaL in their form.
func readAPPS(r row, p *Problem) ([]codegrade.Tests, error) {
	if err := r.fill(p, "question", "prompt", "problem"); err != nil {
		return nil, err
	}
	v, err := data("input_output", r["input_output"])
	if err != nil {
		return nil, err
	}
	return cases("input_output", v, quiz{})
}

// fill sets statement, starter, solutions and difficulty from the usual columns, the statement
// from the first of several.
func (r row) fill(p *Problem, statement ...string) (err error) {
	if p.Statement, err = r.need(statement...); err != nil {
		return err
	}
	if p.Starter, err = r.text("starter_code"); err != nil {
		return err
	}
	if p.Difficulty, err = r.text("difficulty"); err != nil {
		return err
	}
	for _, name := range []string{"solutions", "gold_standard_solution", "solution"} {
		solutions, err := r.texts(name)
		if err != nil {
			return err
		}
		for _, solution := range solutions {
			if code := unfenced(solution); strings.TrimSpace(code) != "" {
				p.Solutions = append(p.Solutions, code)
			}
		}
	}
	return nil
}

// unfenced returns the first fenced block of a text, or all of it if it has none.
func unfenced(text string) string {
	_, after, fenced := strings.Cut(text, "```")
	_, block, lines := strings.Cut(after, "\n")
	if !fenced || !lines {
		return text
	}
	block, _, _ = strings.Cut(block, "\n```")
	return block
}

// readLiveCodeBench reads a row of LiveCodeBench.
func readLiveCodeBench(r row, p *Problem) ([]codegrade.Tests, error) {
	if err := r.fill(p, "question_content"); err != nil {
		return nil, err
	}
	public, err := listIn("public_test_cases", r["public_test_cases"])
	if err != nil {
		return nil, err
	}
	private, err := privateCases(r["private_test_cases"])
	if err != nil {
		return nil, fmt.Errorf("private_test_cases: %w", err)
	}
	about, err := r.object("metadata")
	if err != nil {
		return nil, err
	}
	function, err := about.text("func_name")
	if err != nil {
		return nil, fmt.Errorf("metadata: %w", err)
	}
	return cases("public_test_cases", append(slices.Clip(public), private...), quiz{function: function, public: len(public), lines: true})
}

// readSynthetic reads a row of PrimeIntellect's SYNTHETIC-1 or of open-r1's
// verifiable-coding-problems-python.
func readSynthetic(r row, p *Problem) ([]codegrade.Tests, error) {
	if err := r.fill(p, "prompt", "problem_statement"); err != nil {
		return nil, err
	}
	info, err := r.object("verification_info")
	if err != nil {
		return nil, err
	}
	if about, err := r.object("metadata"); err == nil && p.Difficulty == "" {
		p.Difficulty, _ = about["difficulty"].(string)
	}
	list, err := data("verification_info.test_cases", info["test_cases"])
	if err != nil {
		return nil, err
	}
	readings, err := cases("verification_info.test_cases", list, quiz{})
	if err != nil {
		return nil, err
	}
	language, err := info.text("language")
	if err != nil {
		return nil, fmt.Errorf("verification_info.%w", err)
	}
	for i := range readings {
		readings[i].Language = languageOf(language)
	}
	return readings, nil
}

// languageOf returns the name that we have for a language.
func languageOf(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if name == "" || name == "python3" || name == "py" {
		return "python"
	}
	return name
}

// readDeepCoder reads a row of rLLM's DeepCoder. Its tests have the shape of TACO or of
// LiveCodeBench, by the origin of the row.
func readDeepCoder(r row, p *Problem) ([]codegrade.Tests, error) {
	if err := r.fill(p, "problem"); err != nil {
		return nil, err
	}
	v, err := data("tests", r["tests"])
	if err != nil {
		return nil, err
	}
	var q quiz
	if about, err := r.object("metadata"); err == nil {
		q.function, _ = about["func_name"].(string)
	}
	return cases("tests", v, q)
}

// tested reports whether a row of verl has tests. It may be mathematics, whose ground truth is the answer.
func tested(r row) bool {
	model, err := r.object("reward_model")
	if err != nil || r["ability"] == "code" {
		return true
	}
	switch v := model["ground_truth"].(type) {
	case nil, map[string]any:
		return true
	case string:
		return strings.TrimSpace(v) == "" || testsWord().MatchString(v)
	case []any:
		return slices.ContainsFunc(v, func(one any) bool { _, ok := one.(map[string]any); return ok })
	}
	return false
}

// testsWord finds a word that every text of tests has.
var testsWord = compiled.Regexp(`['"](inputs|input|assert_case)['"]\s*:`)

// readVerl reads a row of verl.
func readVerl(r row, p *Problem) (readings []codegrade.Tests, err error) {
	if p.Statement, err = asked("prompt", r["prompt"]); err != nil {
		return nil, err
	}
	model, err := r.object("reward_model")
	if err != nil {
		return nil, err
	}
	const truth = "reward_model.ground_truth"
	v, err := data(truth, model["ground_truth"])
	if err != nil {
		return nil, err
	}
	if about, err := r.object("extra_info"); err == nil {
		p.Difficulty, _ = about["difficulty"].(string)
	}
	if ground, ok := v.(map[string]any); ok && ground["assert_case"] != nil {
		asserts, err := row(ground).texts("assert_case")
		if err != nil {
			return nil, fmt.Errorf("%s.%w", truth, err)
		}
		return asserted(truth+".assert_case", codegrade.Tests{Cases: sources(asserts, 0)})
	}
	return cases(truth, v, quiz{lines: true})
}

// readNeMoGym reads a row of NeMo Gym's code_gen.
func readNeMoGym(r row, p *Problem) (readings []codegrade.Tests, err error) {
	params, err := r.object("responses_create_params")
	if err != nil {
		return nil, err
	}
	if p.Statement, err = asked("responses_create_params.input", params["input"]); err != nil {
		return nil, err
	}
	about, err := r.object("verifier_metadata")
	if err != nil {
		return nil, err
	}
	if id, ok := about["problem_id"].(string); ok && !r.has(strings.Join(idNames, "|")) {
		p.ID = id
	}
	v, err := data("verifier_metadata.unit_tests", about["unit_tests"])
	if err != nil {
		return nil, err
	}
	return cases("verifier_metadata.unit_tests", v, quiz{lines: true})
}

// asked returns the texts of the user's messages. Messages of the system are left out: they are
// for the model that a data set was made for.
func asked(name string, v any) (string, error) {
	if text, ok := v.(string); ok && !strings.HasPrefix(strings.TrimSpace(text), "[") {
		return text, nil
	}
	list, err := listIn(name, v)
	if err != nil {
		return "", err
	}
	var texts []string
	for i, one := range list {
		message, _ := one.(map[string]any)
		switch role, _ := message["role"].(string); role {
		case "system", "developer":
		case "user":
			text, err := content(message["content"])
			if err != nil {
				return "", fmt.Errorf("%s[%d].content: %w", name, i, err)
			}
			texts = append(texts, text)
		default:
			return "", fmt.Errorf("%s[%d]: is not a message of the user or the system: leave it out", name, i)
		}
	}
	return strings.Join(texts, "\n\n"), nil
}

// content returns the text of a message, which may be in parts.
func content(v any) (string, error) {
	if text, ok := v.(string); ok {
		return text, nil
	}
	parts, _ := v.([]any)
	var all strings.Builder
	for _, one := range parts {
		part, _ := one.(map[string]any)
		text, ok := part["text"].(string)
		if !ok {
			return "", errors.New("has a part that is no text: leave the row out")
		}
		all.WriteString(text)
	}
	if len(parts) == 0 {
		return "", fmt.Errorf("is %s, want a text", kind(v))
	}
	return all.String(), nil
}
