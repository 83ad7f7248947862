package problems_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/grade/codegrade/problems"
	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/native"
)

// A leet is a problem of LeetCode's kind: a method with the annotations of starter code, and a body that
// imports nothing.
type leet struct{ parameters, result, body, args, want string }

// leetCode are the problems by the name of their method.
var leetCode = map[string]leet{
	"total":     {"nums: List[int]", "int", "return sum(nums)", "[[1,2,3]]", "6"},
	"first":     {"nums: Optional[List[int]]", "Optional[int]", "return nums[0] if nums else None", "[[4]]", "4"},
	"swap":      {"pair: Tuple[int, int]", "Tuple[int, int]", "return (pair[1], pair[0])", "[[1,2]]", "[2,1]"},
	"names":     {"d: Dict[str, int]", "List[str]", "return sorted(d)", `[{"b":1,"a":2}]`, `["a","b"]`},
	"either":    {"x: Union[int, str]", "Any", "return x", "[1]", "1"},
	"distinct":  {"nums: Iterable[int]", "Set[int]", "return set(nums)", "[[1,1,2]]", "[1,2]"},
	"apply":     {"nums: Sequence[int]", "List[int]", "f: Callable[[int], int] = lambda n: n * 2\n        return list(map(f, nums))", "[[1,2]]", "[2,4]"},
	"often":     {"words: List[str]", "Dict[str, int]", "return Counter(words)", `[["a","b","a"]]`, `{"a":2,"b":1}`},
	"oftenest":  {"words: List[str]", "str", "return collections.Counter(words).most_common(1)[0][0]", `[["a","b","a"]]`, `"a"`},
	"groups":    {"words: List[str]", "List[List[str]]", "d: DefaultDict[int, List[str]] = defaultdict(list)\n        for w in words: d[len(w)].append(w)\n        return list(d.values())", `[["a","bb","c"]]`, `[["a","c"],["bb"]]`},
	"turned":    {"nums: List[int]", "List[int]", "d: Deque[int] = deque(nums)\n        d.rotate(1)\n        return list(d)", "[[1,2,3]]", "[3,1,2]"},
	"ordered":   {"nums: List[int]", "List[int]", "return list(OrderedDict.fromkeys(nums))", "[[2,1,2]]", "[2,1]"},
	"point":     {"x: int", "int", "P = namedtuple('P', 'x y')\n        return P(x, 2).y", "[1]", "2"},
	"smallest":  {"nums: List[int], k: int", "List[int]", "heapify(nums)\n        return [heappop(nums) for _ in range(k)]", "[[3,1,2],2]", "[1,2]"},
	"largest":   {"nums: List[int], k: int", "int", "return heapq.nlargest(k, nums)[-1]", "[[3,1,2],2]", "2"},
	"place":     {"nums: List[int], x: int", "int", "return bisect_left(nums, x)", "[[1,3,5],3]", "1"},
	"after":     {"nums: List[int], x: int", "int", "return bisect.bisect_right(nums, x) + bisect.bisect(nums, x)", "[[1,3,5],3]", "4"},
	"infinite":  {"nums: List[int]", "int", "best = inf\n        for n in nums: best = min(best, n)\n        return best if best < math.inf else -1", "[[]]", "-1"},
	"divisor":   {"a: int, b: int", "int", "return gcd(a, b) + math.gcd(a, b)", "[4,6]", "4"},
	"gcd":       {"a: int, b: int", "int", "return math.gcd(a, b)", "[4,6]", "2"},
	"power":     {"a: int, b: int", "int", "return pow(a, b, 7) + abs(-a)", "[3,4]", "7"},
	"ways":      {"n: int, k: int", "int", "return comb(n, k) + factorial(k) + isqrt(n)", "[5,2]", "14"},
	"sums":      {"nums: List[int]", "List[int]", "return list(accumulate(nums))", "[[1,2,3]]", "[1,3,6]"},
	"orders":    {"nums: List[int]", "int", "return len(list(permutations(nums))) + len(list(itertools.combinations(nums, 2)))", "[[1,2,3]]", "9"},
	"product":   {"nums: List[int]", "int", "return reduce(mul, nums, 1) + functools.reduce(operator.add, nums)", "[[2,3]]", "11"},
	"fib":       {"n: int", "int", "@cache\n        def f(n): return n if n < 2 else f(n - 1) + f(n - 2)\n        return f(n)", "[50]", "12586269025"},
	"stairs":    {"n: int", "int", "@lru_cache(None)\n        def f(n): return 1 if n < 2 else f(n - 1) + f(n - 2)\n        return f(n)", "[40]", "165580141"},
	"deep":      {"n: int", "int", "def f(n): return 0 if n == 0 else 1 + f(n - 1)\n        return f(n)", "[9000]", "9000"},
	"letters":   {"s: str", "List[int]", "return [ascii_lowercase.index(c) for c in s] + [len(string.digits)]", `["ac"]`, "[0,2,10]"},
	"numbers":   {"s: str", "List[str]", "return re.findall('[0-9]+', s) + [match('a', s).group()]", `["a12b3"]`, `["12","3","a"]`},
	"order":     {"pairs: List[List[int]]", "List[List[int]]", "return sorted(pairs, key=itemgetter(1))", "[[[1,2],[2,1]]]", "[[2,1],[1,2]]"},
	"compared":  {"words: List[str]", "List[str]", "return sorted(words, key=cmp_to_key(lambda a, b: len(a) - len(b)))", `[["bb","a"]]`, `["a","bb"]`},
	"days":      {"a: str, b: str", "int", "return (datetime.date.fromisoformat(b) - datetime.date.fromisoformat(a) + timedelta(days=1)).days", `["2024-02-28","2024-03-01"]`, "3"},
	"copied":    {"m: List[List[int]]", "List[List[int]]", "n = deepcopy(m)\n        n[0][0] = 9\n        return m + copy.copy(n)", "[[[1]]]", "[[1],[9]]"},
	"drawn":     {"nums: List[int]", "int", "return random.choice(nums) + randint(0, 0)", "[[7,7]]", "7"},
	"middle":    {"nums: List[int]", "float", "return median(nums) + statistics.mean(nums)", "[[1,2,3]]", "4"},
	"read":      {"s: str", "Any", "return json.loads(s) + [StringIO(s).read()]", `["[1]"]`, `[1,"[1]"]`},
	"future":    {"nums: list[int] | None", "int", "return sys.maxsize if nums is None else len(nums)", "[[1]]", "1"},
	"primes":    {"n: int", "List[int]", "return [p for p in range(2, n) if all(p % q for q in range(2, isqrt(p) + 1))]", "[10]", "[2,3,5,7]"},
	"transpose": {"m: List[List[int]]", "List[List[int]]", "return [list(r) for r in zip(*m)] + [list(chain.from_iterable(m))]", "[[[1,2],[3,4]]]", "[[1,3],[2,4],[1,2,3,4]]"},
}

// leetForms are the forms of rows, given statement, method, starter code, solution, and the JSON of arguments
// and result.
var leetForms = map[string]func(name, starter, solution, args, want string) map[string]any{
	"LiveCodeBench": func(name, starter, _, args, want string) map[string]any {
		var list []json.RawMessage
		_ = json.Unmarshal([]byte(args), &list)
		lines := make([]string, len(list))
		for i, one := range list {
			lines[i] = string(one)
		}
		tests, _ := json.Marshal([]any{map[string]string{"input": strings.Join(lines, "\n"), "output": want, "testtype": "functional"}})
		return map[string]any{"question_content": "q", "starter_code": starter, "public_test_cases": string(tests), "private_test_cases": "[]", "metadata": `{"func_name":"` + name + `"}`}
	},
	"APPS": func(name, starter, solution, args, want string) map[string]any {
		return map[string]any{"question": "q", "starter_code": starter, "solutions": []string{solution},
			"input_output": fmt.Sprintf(`{"fn_name":%q,"inputs":[%s],"outputs":[%s]}`, name, args, want)}
	},
	"TACO": func(name, starter, solution, args, want string) map[string]any {
		solutions, _ := json.Marshal([]string{solution})
		return map[string]any{"question": "q", "starter_code": starter, "solutions": string(solutions), "difficulty": "EASY", "time_limit": "2.0 seconds",
			"input_output": fmt.Sprintf(`{"fn_name":%q,"inputs":[%s],"outputs":[[%s]]}`, name, args, want)}
	},
	"DeepCoder": func(name, starter, solution, args, want string) map[string]any {
		return map[string]any{"problem": "q", "starter_code": starter, "solutions": []string{solution},
			"tests": fmt.Sprintf(`{"fn_name":%q,"inputs":[%s],"outputs":[[%s]]}`, name, args, want)}
	},
	"SYNTHETIC-1": func(name, starter, solution, args, want string) map[string]any {
		return map[string]any{"prompt": "q", "gold_standard_solution": "```python\n" + solution + "\n```",
			"verification_info": fmt.Sprintf(`{"language":"python","test_cases":[{"type":"function_call","fn_name":%q,"input":%s,"output":[%s]}]}`, name, args, want)}
	},
	"verl": func(name, starter, solution, args, want string) map[string]any {
		return map[string]any{"prompt": []any{map[string]string{"role": "user", "content": "q"}}, "solutions": []string{solution},
			"reward_model": map[string]any{"ground_truth": fmt.Sprintf(`{"fn_name":%q,"inputs":[%s],"outputs":[[%s]]}`, name, args, want)}}
	},
}

// tryLeetCode judges the solutions of rows in a form, by the reading that has them pass, and returns how many rows
// there were. A program without the method fails, whatever a prelude has by that name.
func tryLeetCode(t *testing.T, form string, all map[string]leet) int {
	var rows []string
	solutions := map[string]string{}
	for name, one := range all {
		starter := fmt.Sprintf("class Solution:\n    def %s(self, %s) -> %s:\n        ", name, one.parameters, one.result)
		row := leetForms[form](name, starter, starter+one.body, one.args, one.want)
		row["id"] = name
		text, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		rows, solutions[name] = append(rows, string(text)), starter+one.body
	}
	read, faults, err := readChecked(file(t, rows...), problems.Settings{})
	if err != nil || len(faults) > 0 || len(read) != len(all) {
		t.Fatalf("%s: %d problems, faults %v, error %v", form, len(read), faults, err)
	}
	box, err := native.New(native.Config{Zygote: codegrade.Python()})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	g := &codegrade.Grader{Sandbox: box}
	for _, p := range read {
		passes := false
		var last codegrade.Verdict
		for _, tests := range append([]codegrade.Tests{p.Tests}, p.Also...) {
			if last, err = g.Grade(t.Context(), tests, solutions[p.ID]); errors.Is(err, sandbox.ErrWeak) {
				t.Log("no program runs here")
				return len(read)
			}
			passes = passes || err == nil && last.Score == 1
		}
		if !passes {
			t.Errorf("%s, %s: %+v, error %v", form, p.ID, last, err)
		}
		if without, err := g.Grade(t.Context(), p.Tests, "import sys"); err != nil || without.Score != 0 {
			t.Errorf("%s, %s: a program without the method: %+v, error %v", form, p.ID, without, err)
		}
	}
	return len(read)
}

// Some rows of LeetCode's kind; the heavy tests have all, in all forms.
func TestSomeRowsOfLeetCode(t *testing.T) {
	some := map[string]leet{}
	for _, name := range []string{"total", "oftenest", "gcd", "deep", "future"} {
		some[name] = leetCode[name]
	}
	tryLeetCode(t, "APPS", some)
}
