package cli

import (
	"cmp"
	"encoding"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"entire-plumb/gitexec"
	"entire-plumb/internal/testdir"
)

// jsonKey is a key of an object of JSON, as a field of a Go type makes it.
type jsonKey struct {
	name     string
	of       reflect.Type
	optional bool
	meaning  string
}

// shapes reads Go types and the comments on their fields. It remembers the structs that it met, in
// the order in which they are to be explained.
type shapes struct {
	t       *testing.T
	sources map[string]map[string]*ast.TypeSpec // by package and name
	docs    map[*ast.TypeSpec]string
	order   []reflect.Type
}

func newShapes(t *testing.T) *shapes {
	return &shapes{t: t, sources: map[string]map[string]*ast.TypeSpec{}, docs: map[*ast.TypeSpec]string{}}
}

// source is where a struct is defined.
func (s *shapes) source(of reflect.Type) *ast.TypeSpec {
	s.t.Helper()
	dir := strings.TrimPrefix(of.PkgPath(), "entire-plumb/")
	if s.sources[dir] == nil {
		s.sources[dir] = map[string]*ast.TypeSpec{}
		files, err := filepath.Glob(filepath.Join("../..", dir, "*.go"))
		testdir.Must(s.t, err)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			one, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
			testdir.Must(s.t, err)
			ast.Inspect(one, func(n ast.Node) bool {
				if d, ok := n.(*ast.GenDecl); ok && d.Tok == token.TYPE {
					for _, spec := range d.Specs {
						spec := spec.(*ast.TypeSpec)
						s.sources[dir][spec.Name.Name], s.docs[spec] = spec, d.Doc.Text()
					}
				}
				return true
			})
		}
	}
	spec := s.sources[dir][of.Name()]
	if spec == nil {
		s.t.Fatalf("%v: no type of this name in %s: a type that is printed as JSON needs one", of, dir)
	}
	return spec
}

// comment is what is said of a field: above it, or behind it.
func comment(field *ast.Field, name, key string) string {
	text := strings.Join(strings.Fields(field.Comment.Text()+" "+field.Doc.Text()), " ")
	if rest, ok := strings.CutPrefix(text, name+" "); ok {
		text = "`" + key + "` " + rest
	}
	return strings.TrimSuffix(text, ".")
}

// keys are those of a struct, embedded ones included: of two of a name the outer one counts.
func (s *shapes) keys(of reflect.Type) (all []jsonKey) {
	spec := s.source(of)
	comments := map[string]*ast.Field{}
	for _, field := range spec.Type.(*ast.StructType).Fields.List {
		for _, name := range field.Names {
			comments[name.Name] = field
		}
		if field.Names == nil {
			comments[embedded(field.Type)] = field
		}
	}
	at := map[string]int{}
	depth := map[string]int{}
	add := func(k jsonKey, deep int) {
		if i, ok := at[k.name]; !ok {
			at[k.name], depth[k.name] = len(all), deep
			all = append(all, k)
		} else if deep < depth[k.name] {
			all[i], depth[k.name] = k, deep
		}
	}
	for i := range of.NumField() {
		field := of.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case field.Anonymous && name == "":
			for _, k := range s.keys(bare(field.Type)) {
				k.optional = k.optional || strings.Contains(comments[field.Name].Comment.Text(), "nil: ")
				add(k, 1)
			}
		case field.IsExported():
			if name == "" {
				s.t.Errorf("%v.%s has no name in JSON", of, field.Name)
			}
			k := jsonKey{name: name, of: field.Type, optional: strings.Contains(options, "omit"), meaning: comment(comments[field.Name], field.Name, name)}
			if k.optional {
				k.meaning = regexp.MustCompile(`\b(empty|nil|zero|0): `).ReplaceAllString(k.meaning, "absent: ")
			}
			k.meaning = strings.ReplaceAll(k.meaning, "nil: ", "`null`: ")
			add(k, 0)
		}
	}
	for i := range all {
		all[i].meaning = cmp.Or(meanings[of.String()+"."+all[i].name], all[i].meaning)
	}
	return all
}

// embedded is the name of an embedded field.
func embedded(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return embedded(of.X)
	case *ast.SelectorExpr:
		return of.Sel.Name
	case *ast.Ident:
		return of.Name
	}
	return ""
}

// bare is a type without pointers.
func bare(of reflect.Type) reflect.Type {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	return of
}

// spoken is a type that is printed as a JSON value of another kind than its Go type.
var spoken = map[reflect.Type]string{
	reflect.TypeFor[time.Time](): "time", reflect.TypeFor[json.RawMessage](): "any value", reflect.TypeFor[gitexec.Path](): "path",
	reflect.TypeFor[gitexec.OID](): "object ID",
}

// schema is a type as JSON Schema has it; word is the same for people.
func (s *shapes) schema(of reflect.Type, optional bool) (schema map[string]any, word string) {
	switch word := spoken[of]; {
	case word == "time":
		return map[string]any{"type": "string", "format": "date-time"}, word
	case word == "any value":
		return map[string]any{}, word
	case word != "":
		return map[string]any{"type": "string"}, word
	}
	switch of.Kind() {
	case reflect.Pointer:
		schema, word := s.schema(of.Elem(), false)
		if !optional {
			schema, word = map[string]any{"anyOf": []any{schema, map[string]any{"type": "null"}}}, word+" or `null`"
		}
		return schema, word
	case reflect.Bool:
		return map[string]any{"type": "boolean"}, "boolean"
	case reflect.String:
		return map[string]any{"type": "string"}, "string"
	case reflect.Float64:
		return map[string]any{"type": "number"}, "number"
	case reflect.Slice, reflect.Array:
		items, word := s.schema(bare(of.Elem()), false) // no element is null
		list := map[string]any{"type": "array", "items": items}
		if of.Kind() == reflect.Slice && !optional {
			list["type"] = []any{"array", "null"}
		}
		return list, "list of " + word
	case reflect.Map:
		values, word := s.schema(of.Elem(), false)
		return map[string]any{"type": "object", "additionalProperties": values}, "map to " + word
	case reflect.Struct:
		if !slices.Contains(s.order, of) {
			if slices.ContainsFunc(s.order, func(other reflect.Type) bool { return typeName(other) == typeName(of) }) {
				s.t.Errorf("%v: another type has this name: add it to alike", of)
			}
			s.order = append(s.order, of)
		}
		return map[string]any{"$ref": "#/$defs/" + typeName(of)}, "[" + typeName(of) + "](#" + typeName(of) + ")"
	case reflect.Interface:
		if of.NumMethod() == 0 {
			return map[string]any{}, "any value"
		}
	}
	if strings.Contains(of.Kind().String(), "int") {
		return map[string]any{"type": "integer"}, "integer"
	}
	s.t.Fatalf("%v has no schema", of)
	return nil, ""
}

// object is the schema of a struct. Other keys are allowed, since later programs add some.
func (s *shapes) object(of reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, k := range s.keys(of) {
		schema, _ := s.schema(k.of, k.optional)
		properties[k.name] = schema
		if !k.optional {
			required = append(required, k.name)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

// typeName is the name of a type on the page: small letters and dashes. Of two of a name, that of the
// package is put before.
func typeName(of reflect.Type) string {
	name := strings.TrimSuffix(of.Name(), "JSON")
	if alike[name] {
		name = path.Base(of.PkgPath()) + name
	}
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 && !unicode.IsUpper(rune(name[i-1])) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// alike are names of types that several packages have.
var alike = map[string]bool{"FileSum": true, "Commit": true, "Removal": true, "File": true, "Entry": true, "Row": true, "Diagnosis": true,
	"Part": true, "Hunk": true, "Summary": true, "Report": true}

// about is what a type's comment says that it is.
func (s *shapes) about(of reflect.Type) string {
	text := strings.TrimPrefix(strings.Join(strings.Fields(s.docs[s.source(of)]), " "), of.Name()+" ")
	text = regexp.MustCompile(`^(An? `+of.Name()+` )?(is|are) `).ReplaceAllString(text, "")
	text = regexp.MustCompile(`^what [^:]* prints?( as JSON)?[.:] ?`).ReplaceAllString(text, "")
	if text = cmp.Or(meanings[of.String()], text); text == "" {
		return ""
	}
	first := []rune(text)
	return string(unicode.ToUpper(first[0])) + string(first[1:])
}

// unmarked are the types with a form of their own in JSON which the generator doesn't know.
func (s *shapes) unmarked() (all []string) {
	for _, of := range s.order {
		if of.Implements(reflect.TypeFor[json.Marshaler]()) || of.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
			all = append(all, of.String())
		}
	}
	return all
}
