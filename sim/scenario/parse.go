package scenario

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"tiersim/sim/fault"
)

const (
	// maxFile bounds a file. Chosen: a topology of ten thousand rooms has 2 MB.
	maxFile = 10 << 20
	// maxTokens bounds what a file makes us hold: a token and its node take about
	// 500 bytes. Chosen: five times those of the topology of ten thousand rooms.
	maxTokens = 1_000_000
	// maxKeys bounds the keys of one mapping, since the parser's time grows with
	// their square. Chosen: a second or two.
	maxKeys = 20_000
	// maxDepth bounds how deep a file nests. Chosen: ours nest twelve deep.
	maxDepth = 100
	// maxExpanded bounds the nodes that aliases and merges stand for. Chosen: far
	// above what a person writes, far below what fills a memory.
	maxExpanded = 100_000
)

// parse reads a YAML file into a tree. It never panics.
func parse(file *location, content []byte) (root *node, faults fault.List) {
	p := &treeBuilder{file: file, anchors: map[string]*node{}}
	whole := place{file: file}
	if len(content) > maxFile {
		return nil, fault.List{whole.fault("", fmt.Sprintf("the file is larger than %d MB; keep data in a trace or profile file and name it here", maxFile>>20))}
	}
	if tokens := roughTokens(content); tokens > maxTokens {
		return nil, fault.List{whole.fault("", fmt.Sprintf("the file has more than %d parts; keep data in a trace or profile file and name it here", maxTokens))}
	}
	defer func() {
		// The parser below is not ours and its input is anything: what it panics
		// on is a fault of the file.
		if r := recover(); r != nil {
			root, faults = nil, fault.List{whole.fault("", fmt.Sprintf("cannot be read as YAML (%v)", r))}
		}
	}()
	tokens := lexer.Tokenize(strings.TrimPrefix(string(content), "\ufeff"))
	if at, what := tooMuch(tokens); what != "" {
		return nil, fault.List{p.placeOf(at).fault("", what)}
	}
	f, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, fault.List{p.syntax(err)}
	}
	root = p.document(f)
	return root, p.faults
}

// syntax turns the parser's error into a fault.
func (p *treeBuilder) syntax(err error) fault.Fault {
	var at interface {
		GetToken() *token.Token
		GetMessage() string
	}
	if !errors.As(err, &at) {
		return place{file: p.file}.fault("", "not YAML: "+firstLine(err.Error()))
	}
	message := "not YAML: " + firstLine(at.GetMessage())
	if strings.Contains(message, `'\t'`) || strings.Contains(message, "tab") {
		message += "; indent with spaces"
	}
	return p.placeOf(at.GetToken()).fault("", message)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return clip(line)
}

// roughTokens counts the characters that can begin a token, before there are any.
func roughTokens(content []byte) int {
	n := 0
	for _, c := range content {
		switch c {
		case ',', ':', '[', ']', '{', '}', '\n', '-', '?', '&', '*', '!', '#':
			n++
		}
	}
	return n
}

// A level is a column at which something is nested, and its keys so far.
type level struct{ column, keys int }

// tooMuch says what is more in the tokens than a parser should be given, and
// where; "" if nothing is. Depth is never counted too little: in a block every
// level begins at a column of its own, or is a list at its key's; in brackets
// every level has a bracket, or is a mark such as `?` with nothing between.
func tooMuch(tokens token.Tokens) (at *token.Token, what string) {
	var levels []level
	brackets, marks := 0, 0
	for _, t := range tokens {
		switch t.Type {
		case token.CommentType, token.SpaceType:
			continue
		case token.MappingStartType, token.SequenceStartType:
			brackets, marks = brackets+1, 0
		case token.MappingEndType, token.SequenceEndType:
			brackets, marks = max(0, brackets-1), 0
		case token.CollectEntryType:
			marks = 0
		case token.MappingKeyType, token.TagType, token.AnchorType, token.SequenceEntryType, token.MappingValueType:
			marks++
		}
		if brackets == 0 && t.Type == token.MappingValueType && len(levels) > 0 {
			top := &levels[len(levels)-1]
			if top.keys++; top.keys > maxKeys {
				return t, fmt.Sprintf("more than %d keys in a mapping", maxKeys)
			}
		} else if brackets == 0 {
			if t.Type != token.TagType && t.Type != token.AnchorType && t.PreviousType() != token.AnchorType {
				marks = 0
			}
			levels = descend(levels, t.Position.Column)
		}
		if len(levels)+brackets+marks > maxDepth+2 {
			return t, fmt.Sprintf("nested deeper than %d", maxDepth)
		}
	}
	return nil, ""
}

// descend returns the levels that are open at a column.
func descend(levels []level, column int) []level {
	for len(levels) > 0 && levels[len(levels)-1].column > column {
		levels = levels[:len(levels)-1]
	}
	if len(levels) > 0 && levels[len(levels)-1].column == column {
		return levels
	}
	return append(levels, level{column: column})
}

// A treeBuilder makes our tree of the parser's.
type treeBuilder struct {
	file     *location
	anchors  map[string]*node
	expanded int // nodes that aliases stood for
	faults   fault.List
}

func (p *treeBuilder) placeOf(t *token.Token) place {
	if t == nil || t.Position == nil {
		return place{file: p.file}
	}
	return place{p.file, t.Position.Line, t.Position.Column}
}

func (p *treeBuilder) fault(at place, path, format string, a ...any) {
	p.faults = append(p.faults, at.fault(path, fmt.Sprintf(format, a...)))
}

// document returns the one document of a file, a mapping.
func (p *treeBuilder) document(f *ast.File) *node {
	var body ast.Node
	for _, d := range f.Docs {
		if d.Body == nil || d.Body.Type() == ast.DirectiveType || d.Body.Type() == ast.CommentType {
			continue
		}
		if body != nil {
			second := &treeBuilder{file: p.file, anchors: p.anchors}
			p.fault(second.build(d.Body, "", 0).at, "", "a second document begins here; keep one document a file")
			return nil
		}
		body = d.Body
	}
	if body == nil {
		p.fault(place{p.file, 1, 1}, "", "the file is empty, want a topology or a scenario")
		return nil
	}
	root := p.build(body, "", 0)
	if root.kind != mapping && len(p.faults) == 0 {
		p.faults = append(p.faults, root.fault(root.got()+", want keys and values such as name: two-hubs"))
	}
	if len(p.faults) > 0 {
		return nil
	}
	return root
}

func (p *treeBuilder) build(n ast.Node, path string, depth int) *node {
	out := &node{path: path, at: place{file: p.file}}
	if n == nil {
		return out
	}
	out.at = p.placeOf(n.GetToken())
	if depth > maxDepth {
		p.fault(out.at, path, "nested deeper than %d", maxDepth)
		return out
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		p.mapping(out, n.Values, depth)
		if n.IsFlowStyle {
			out.at = p.placeOf(n.Start)
		}
	case *ast.MappingValueNode:
		p.mapping(out, []*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		out.kind = list
		for i, v := range n.Values {
			out.items = append(out.items, p.build(v, joinIndex(path, i), depth+1))
		}
	case *ast.AnchorNode:
		return p.anchor(n, path, depth)
	case *ast.AliasNode:
		return p.alias(out, n)
	case *ast.TagNode:
		p.fault(out.at, path, "got the tag %q, want none; remove it", clip(n.Start.Value))
	case *ast.NullNode:
	case *ast.LiteralNode:
		out.kind, out.text = scalar, n.Value.Value
	case *ast.StringNode:
		out.kind, out.text = scalar, n.Value
	default:
		out.kind, out.text = scalar, n.GetToken().Value
	}
	return out
}

func (p *treeBuilder) anchor(n *ast.AnchorNode, path string, depth int) *node {
	out := p.build(n.Value, path, depth+1)
	if n.Name != nil {
		p.anchors[n.Name.GetToken().Value] = out
	}
	return out
}

// alias returns what an alias stands for, with paths of its own.
func (p *treeBuilder) alias(out *node, n *ast.AliasNode) *node {
	name := ""
	if n.Value != nil {
		name = n.Value.GetToken().Value
	}
	of, ok := p.anchors[name]
	if !ok {
		p.fault(out.at, out.path, "got *%s, but no &%s stands before it", clip(name), clip(name))
		return out
	}
	if p.expanded += of.size(maxExpanded - p.expanded); p.expanded >= maxExpanded {
		p.fault(out.at, out.path, "aliases stand for more than %d values; write fewer", maxExpanded)
		return out
	}
	return of.moved(out.path)
}

// size counts the nodes of a tree, up to about a limit.
func (n *node) size(limit int) int {
	sum := 1
	for i := 0; i < len(n.entries) && sum < limit; i++ {
		sum += n.entries[i].value.size(limit - sum)
	}
	for i := 0; i < len(n.items) && sum < limit; i++ {
		sum += n.items[i].size(limit - sum)
	}
	return sum
}

// mapping fills in the entries of a mapping. What is merged in (`<<`) stands
// behind what is written, which wins.
func (p *treeBuilder) mapping(out *node, values []*ast.MappingValueNode, depth int) {
	out.kind = mapping
	index := make(map[string]int, len(values))
	var merged []*node
	for i, v := range values {
		at := p.placeOf(v.Key.GetToken())
		if i == 0 {
			out.at = at
		}
		if v.Key.IsMergeKey() {
			merged = append(merged, p.build(v.Value, out.path, depth+1))
			continue
		}
		key, ok := p.key(v.Key, out.path)
		if !ok {
			continue
		}
		if first, twice := index[key]; twice {
			p.fault(at, joinKey(out.path, key), "stands twice, first in line %d; remove one", out.entries[first].at.line)
			continue
		}
		index[key] = len(out.entries)
		value := p.build(v.Value, joinKey(out.path, key), depth+1)
		if value.at.line == 0 || value.kind == nothing {
			value.at = at
		}
		out.entries = append(out.entries, entry{key, at, value})
	}
	for _, m := range merged {
		p.merge(out, m, index)
	}
}

func (p *treeBuilder) merge(out, from *node, index map[string]int) {
	switch from.kind {
	case list:
		for _, x := range from.items {
			p.merge(out, x, index)
		}
	case mapping:
		for _, e := range from.entries {
			if _, there := index[e.key]; !there {
				index[e.key] = len(out.entries)
				e.value = e.value.moved(joinKey(out.path, e.key))
				out.entries = append(out.entries, e)
			}
		}
	default:
		p.fault(from.at, joinKey(out.path, "<<"), "%s, want a mapping to take entries from", from.got())
	}
}

// key returns the text of a key, which must be a scalar without anchor or tag.
func (p *treeBuilder) key(k ast.MapKeyNode, path string) (string, bool) {
	switch k := k.(type) {
	case *ast.StringNode:
		return k.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return k.GetToken().Value, true
	}
	p.fault(p.placeOf(k.GetToken()), path, "want a name as key; put it in quotes if it is one")
	return "", false
}
