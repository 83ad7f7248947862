package guard

import (
	"math/big"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// operators are the binary operators that functions of the same name replace; true: it compares.
var operators = map[syntax.Token]bool{
	syntax.PLUS: false, syntax.MINUS: false, syntax.STAR: false, syntax.SLASHSLASH: false, syntax.PERCENT: false,
	syntax.EQL: true, syntax.NEQ: true, syntax.LT: true, syntax.LE: true, syntax.GT: true, syntax.GE: true,
	syntax.IN: true, syntax.NOT_IN: true,
}

// updates are the operators of assignments such as x += 1, as binary operators.
var updates = map[syntax.Token]syntax.Token{
	syntax.PLUS_EQ: syntax.PLUS, syntax.MINUS_EQ: syntax.MINUS, syntax.STAR_EQ: syntax.STAR,
	syntax.SLASHSLASH_EQ: syntax.SLASHSLASH, syntax.PERCENT_EQ: syntax.PERCENT,
}

// A rewriter replaces the operations of unbounded cost by calls of functions, whose names are
// no identifiers.
type rewriter struct {
	plain bool // leave operators to Starlark that are cheap, and odd in no plain value
	odd   bool // the program has a string that is not plain
	ints  integers
	uses  map[string]bool // names of functions
	fault *syntax.Error   // the first
}

// refuse records an error.
func (w *rewriter) refuse(n syntax.Node, message string) {
	if at, _ := n.Span(); w.fault == nil {
		w.fault = &syntax.Error{Pos: at, Msg: message}
	}
}

// function is a call of a function of ours.
func (w *rewriter) function(name string, at syntax.Position, args ...syntax.Expr) *syntax.CallExpr {
	w.uses[name] = true
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: at, Name: name}, Lparen: at, Args: args, Rparen: at}
}

// file rewrites a program. Functions become global variables, which are found sooner.
func (w *rewriter) file(f *syntax.File) {
	w.ints = findIntegers(f)
	w.stmts(f.Stmts)
	var prelude []syntax.Stmt
	at := syntax.MakePosition(&f.Path, 1, 1)
	for name, is := range w.uses {
		if is && predeclared().Has(unique(name)) {
			value := &syntax.Ident{NamePos: at, Name: unique(name)}
			prelude = append(prelude, &syntax.AssignStmt{OpPos: at, Op: syntax.EQ, LHS: &syntax.Ident{NamePos: at, Name: name}, RHS: value})
		}
	}
	f.Stmts = append(prelude, f.Stmts...)
}

// unique is the name of a function that no program can have.
func unique(name string) string { return " " + name }

func (w *rewriter) stmts(list []syntax.Stmt) {
	for i, s := range list {
		list[i] = w.stmt(s)
	}
}

func (w *rewriter) stmt(s syntax.Stmt) syntax.Stmt {
	switch s := s.(type) {
	case *syntax.AssignStmt:
		if s.Op != syntax.EQ {
			return w.update(s)
		}
		s.LHS, s.RHS = w.target(s.LHS), w.expr(s.RHS)
	case *syntax.BranchStmt:
	case *syntax.DefStmt:
		w.params(s.Params)
		w.stmts(s.Body)
	case *syntax.ExprStmt:
		s.X = w.expr(s.X)
	case *syntax.ForStmt:
		s.Vars, s.X = w.target(s.Vars), w.expr(s.X)
		w.stmts(s.Body)
	case *syntax.IfStmt:
		s.Cond = w.expr(s.Cond)
		w.stmts(s.True)
		w.stmts(s.False)
	case *syntax.ReturnStmt:
		s.Result = w.expr(s.Result)
	default:
		w.refuse(s, "there is no such statement here")
	}
	return s
}

// update rewrites x += 1 and the like.
func (w *rewriter) update(s *syntax.AssignStmt) syntax.Stmt {
	if _, has := updates[s.Op]; !has {
		w.refuse(s, "there is no operator "+s.Op.String()+" here")
	}
	cheap := w.cheap(updates[s.Op], s.LHS, s.RHS)
	s.RHS = w.expr(s.RHS)
	switch to := s.LHS.(type) {
	case *syntax.Ident:
		if cheap {
			return s
		}
		before := &syntax.Ident{NamePos: to.NamePos, Name: to.Name}
		return &syntax.AssignStmt{OpPos: s.OpPos, Op: syntax.EQ, LHS: to, RHS: w.function(s.Op.String(), s.OpPos, before, s.RHS)}
	case *syntax.IndexExpr:
		if cheap {
			s.LHS = w.target(to)
			return s
		}
		return &syntax.ExprStmt{X: w.function("[]"+s.Op.String(), s.OpPos, w.expr(to.X), w.expr(to.Y), s.RHS)}
	}
	w.refuse(s, "this cannot be assigned to")
	return s
}

// target rewrites what is assigned to.
func (w *rewriter) target(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.Ident:
		w.own(e)
	case *syntax.ParenExpr:
		e.X = w.target(e.X)
	case *syntax.TupleExpr:
		w.each(e.List, w.target)
	case *syntax.ListExpr:
		w.each(e.List, w.target)
	case *syntax.IndexExpr:
		e.X, e.Y = w.expr(e.X), w.key(e.Y)
	default:
		w.refuse(e, "this cannot be assigned to")
	}
	return e
}

// key rewrites a key of a dict, or an index of a list.
func (w *rewriter) key(e syntax.Expr) syntax.Expr {
	if w.simple(e) {
		return w.expr(e)
	}
	at, _ := e.Span()
	return w.function("{}", at, w.expr(e))
}

// simple reports whether e is an integer, or a string in the program.
func (w *rewriter) simple(e syntax.Expr) bool { return isString(e) || w.ints.has(e) }

func (w *rewriter) each(list []syntax.Expr, rewrite func(syntax.Expr) syntax.Expr) {
	for i, e := range list {
		list[i] = rewrite(e)
	}
}

// params refuses parameters with defaults or stars.
func (w *rewriter) params(list []syntax.Expr) {
	for _, e := range list {
		name, is := e.(*syntax.Ident)
		if !is {
			w.refuse(e, "want a parameter without a default or a star")
			return
		}
		w.own(name)
	}
}

// own refuses variables that have the name of a function.
func (w *rewriter) own(name *syntax.Ident) {
	if predeclared().Has(unique(name.Name)) {
		w.refuse(name, name.Name+" is a function")
	}
}

func (w *rewriter) expr(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case nil:
	case *syntax.Ident:
		w.uses[e.Name] = w.uses[e.Name] || starlark.Universe.Has(e.Name)
	case *syntax.Literal:
		w.literal(e)
	case *syntax.BinaryExpr:
		return w.binary(e)
	case *syntax.UnaryExpr:
		if e.Op != syntax.MINUS && e.Op != syntax.PLUS && e.Op != syntax.NOT {
			w.refuse(e, "there is no operator "+e.Op.String()+" here")
		}
		e.X = w.expr(e.X)
	case *syntax.CallExpr:
		return w.call(e)
	case *syntax.IndexExpr:
		small := w.plain && w.simple(e.Y)
		e.X, e.Y = w.expr(e.X), w.expr(e.Y)
		if !small {
			return w.function("[]", e.Lbrack, e.X, e.Y)
		}
	case *syntax.SliceExpr:
		return w.slice(e)
	default:
		w.parts(e)
	}
	return e
}

// parts rewrites what an expression consists of.
func (w *rewriter) parts(e syntax.Expr) {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		e.X = w.expr(e.X)
	case *syntax.CondExpr:
		e.Cond, e.True, e.False = w.expr(e.Cond), w.expr(e.True), w.expr(e.False)
	case *syntax.LambdaExpr:
		w.params(e.Params)
		e.Body = w.expr(e.Body)
	case *syntax.ListExpr:
		w.each(e.List, w.expr)
	case *syntax.TupleExpr:
		w.each(e.List, w.expr)
	case *syntax.DictExpr:
		w.each(e.List, w.expr)
	case *syntax.DictEntry:
		e.Key, e.Value = w.key(e.Key), w.expr(e.Value)
	case *syntax.Comprehension:
		e.Body = w.expr(e.Body)
		for _, clause := range e.Clauses {
			switch c := clause.(type) {
			case *syntax.ForClause:
				c.Vars, c.X = w.target(c.Vars), w.expr(c.X)
			case *syntax.IfClause:
				c.Cond = w.expr(c.Cond)
			}
		}
	default:
		w.refuse(e, "there is no such expression here")
	}
}

func (w *rewriter) literal(e *syntax.Literal) {
	n, is := e.Value.(*big.Int)
	if is && n.BitLen() > maxBits || e.Token != syntax.INT && e.Token != syntax.STRING {
		w.refuse(e, "want an integer of at most 1,024 bits or a string")
	}
	w.odd = w.odd || odd(e.Value)
}

func (w *rewriter) binary(e *syntax.BinaryExpr) syntax.Expr {
	cheap := w.cheap(e.Op, e.X, e.Y)
	e.X, e.Y = w.expr(e.X), w.expr(e.Y)
	if e.Op == syntax.AND || e.Op == syntax.OR {
		return e
	}
	if _, has := operators[e.Op]; !has {
		w.refuse(e, "there is no operator "+e.Op.String()+" here")
	}
	if cheap {
		return e
	}
	return w.function(e.Op.String(), e.OpPos, e.X, e.Y)
}

// cheap reports whether Starlark and Python agree on x op y, at a cost bounded by an integer or
// by a string in the program, whatever the other value is.
func (w *rewriter) cheap(op syntax.Token, x, y syntax.Expr) bool {
	switch op {
	case syntax.MINUS, syntax.SLASHSLASH:
		return true // there are no sets and no floats
	case syntax.PLUS, syntax.LT, syntax.LE, syntax.GT, syntax.GE:
		return w.ints.has(x) || w.ints.has(y)
	case syntax.EQL, syntax.NEQ:
		return isString(x) || isString(y) || w.plain && (w.ints.has(x) || w.ints.has(y))
	case syntax.IN, syntax.NOT_IN:
		return isString(y)
	case syntax.PERCENT:
		return w.plain || w.ints.has(x)
	}
	return false
}

func isString(e syntax.Expr) bool {
	l, is := e.(*syntax.Literal)
	return is && l.Token == syntax.STRING
}

func (w *rewriter) call(e *syntax.CallExpr) syntax.Expr {
	for i, arg := range e.Args {
		if named, is := arg.(*syntax.BinaryExpr); is && named.Op == syntax.EQ {
			named.Y = w.expr(named.Y)
			continue
		}
		e.Args[i] = w.expr(arg)
	}
	if of, is := e.Fn.(*syntax.DotExpr); is {
		name := "." + of.Name.Name
		if _, has := methods[name]; !has {
			w.refuse(of, "there is no method "+of.Name.Name+" here")
		}
		return w.function(name, of.NamePos, append([]syntax.Expr{w.expr(of.X)}, e.Args...)...)
	}
	e.Fn = w.expr(e.Fn)
	return e
}

func (w *rewriter) slice(e *syntax.SliceExpr) syntax.Expr {
	args := []syntax.Expr{w.expr(e.X)}
	for _, bound := range []syntax.Expr{e.Lo, e.Hi, e.Step} {
		if bound == nil {
			bound = &syntax.Ident{NamePos: e.Lbrack, Name: "None"}
		}
		args = append(args, w.expr(bound))
	}
	return w.function("[:]", e.Lbrack, args...)
}
