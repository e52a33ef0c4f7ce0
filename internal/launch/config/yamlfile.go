package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/goacp/goacp/internal/ground/lazyregexp"
	"github.com/goacp/goacp/internal/launch/shell"
	"github.com/goacp/goacp/internal/system/couple/description"
	"gopkg.in/yaml.v3"
)

// ParseYAML parses the description of a run in YAML: a mapping with the key jobs and,
// optionally, defaults for options of macprun. Unknown keys are errors, so that a misprint
// does not make a default apply. Errors are of type *ParseError and name the line.
//
// Names of files with weights are relative to the folder of the file. ParseYAML reads the heads of these files.
//
// It does not block. Safe for concurrent use.
func ParseYAML(file string, text []byte) (*Inputfile, error) {
	if err := notText(file, text); err != nil {
		return nil, err
	}
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&document); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, Errorf(file, 1, "%w where the key jobs was expected", errEnded)
		}
		return nil, yamlSyntaxError(file, err)
	}
	r := yamlReader{file: file}
	root := document.Content[0]
	input := &Inputfile{File: file}
	err := r.mapping(root, "the description of a run", func(key string, keyNode, value *yaml.Node) error {
		if key == "jobs" {
			return r.jobs(value, input)
		}
		return r.topLevel(key, keyNode, value, &input.Defaults)
	})
	if err != nil {
		return nil, err
	}
	if len(input.Jobs) == 0 {
		return nil, Errorf(file, root.Line, "no jobs; expected the key jobs with a list of jobs")
	}
	return input, checkDifferentNames(input)
}

// yamlLine finds the line number in a message of the YAML package.
var yamlLine = lazyregexp.New(`^yaml: line (\d+): `)

// yamlSyntaxError turns a message of the YAML package into a ParseError.
func yamlSyntaxError(file string, err error) error {
	text := err.Error()
	if m := yamlLine.Get().FindStringSubmatch(text); m != nil {
		if line, errLine := strconv.Atoi(m[1]); errLine == nil {
			return Errorf(file, line, "%s", text[len(m[0]):])
		}
	}
	return &ParseError{File: file, Err: errors.New(strings.TrimPrefix(text, "yaml: "))}
}

// yamlReader reads nodes of one file. Errors name the file.
type yamlReader struct{ file string }

func (r yamlReader) errorf(node *yaml.Node, format string, args ...any) error {
	return Errorf(r.file, node.Line, format, args...)
}

// mapping calls each once for every key of node. node must be a mapping without repeated keys.
// mapping follows aliases of values.
func (r yamlReader) mapping(node *yaml.Node, what string, each func(key string, keyNode, value *yaml.Node) error) error {
	node = resolve(node)
	if node.Kind != yaml.MappingNode {
		return r.errorf(node, "%s must be a mapping of keys to values", what)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		keyNode, value := node.Content[i], resolve(node.Content[i+1])
		if keyNode.Kind != yaml.ScalarNode {
			return r.errorf(keyNode, "a key of %s must be a word", what)
		}
		if seen[keyNode.Value] {
			return r.errorf(keyNode, "key %s is given twice", keyNode.Value)
		}
		seen[keyNode.Value] = true
		if err := each(keyNode.Value, keyNode, value); err != nil {
			return err
		}
	}
	return nil
}

// resolve returns the node that an alias names, or node itself.
func resolve(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

// scalar returns the text of a node that must hold one non-empty value.
func (r yamlReader) scalar(node *yaml.Node, key string) (string, error) {
	node = resolve(node)
	if node.Kind != yaml.ScalarNode || node.Tag == "!!null" || node.Value == "" {
		return "", r.errorf(node, "%s must have one value", key)
	}
	if strings.ContainsRune(node.Value, 0) {
		return "", r.errorf(node, "%s holds a zero byte; expected text", key)
	}
	return node.Value, nil
}

// words returns the texts of a node that must be a sequence of scalars.
func (r yamlReader) words(node *yaml.Node, key string) ([]string, error) {
	if node.Kind != yaml.SequenceNode || len(node.Content) == 0 {
		return nil, r.errorf(node, "%s must be a text or a list of words", key)
	}
	var words []string
	for _, n := range node.Content {
		n = resolve(n)
		if n.Kind != yaml.ScalarNode || strings.ContainsRune(n.Value, 0) {
			return nil, r.errorf(n, "%s must be a text or a list of words", key)
		}
		words = append(words, n.Value)
	}
	return words, nil
}

// shellText returns a command in shell syntax. The node is a text in shell syntax, or a list
// of words that reach the program as they are.
func (r yamlReader) shellText(node *yaml.Node, key string) (string, error) {
	if node.Kind == yaml.ScalarNode {
		text, err := r.scalar(node, key)
		return strings.TrimSpace(text), err
	}
	words, err := r.words(node, key)
	return shell.Join(words), err
}

// topLevel stores an option that a description sets for the run.
func (r yamlReader) topLevel(key string, keyNode, value *yaml.Node, opts *Options) error {
	names := []string{"jobs"}
	for _, s := range settings() {
		if s.yaml == "" {
			continue
		}
		names = append(names, s.yaml)
		if s.yaml != key {
			continue
		}
		text, err := r.scalarOrList(value, key, s.kind)
		if err != nil {
			return err
		}
		option := optionValue{opts: opts, setting: s, program: Macprun}
		if err := option.Set(text); err != nil {
			return r.errorf(value, "%s: %w", key, err)
		}
		return nil
	}
	return r.errorf(keyNode, "unknown key %s; expected %s", key, strings.Join(names, ", "))
}

// scalarOrList returns the text of an option's value. Hosts may also be a list, and links are a list of mappings.
func (r yamlReader) scalarOrList(value *yaml.Node, key string, k kind) (string, error) {
	if k == kindLinks && value.Kind == yaml.SequenceNode {
		return r.links(value)
	}
	if k != kindHosts || value.Kind == yaml.ScalarNode {
		return r.scalar(value, key)
	}
	words, err := r.words(value, key)
	return strings.Join(words, ","), err
}

// links returns the text of a list of links.
func (r yamlReader) links(node *yaml.Node) (string, error) {
	var words []string
	for i, entry := range node.Content {
		var l description.Link
		err := r.mapping(entry, fmt.Sprintf("link %d", i), func(key string, keyNode, value *yaml.Node) error {
			text, err := r.scalar(value, key)
			if err != nil {
				return err
			}
			if err := l.Set(key, text); err != nil {
				return r.errorf(keyNode, "%w", err)
			}
			return nil
		})
		if err != nil {
			return "", err
		}
		if strings.ContainsAny(l.From+l.To, " \t\r\n,:") {
			return "", r.errorf(entry, "%w: from %q to %q", description.ErrLink, l.From, l.To)
		}
		if err := errors.Join(l.FindWeights(filepath.Dir(r.file)), l.FindInitial(filepath.Dir(r.file)), l.FindRecord(filepath.Dir(r.file))); err != nil {
			return "", r.errorf(entry, "%w", err)
		}
		words = append(words, l.String())
		if _, err := description.Parse(strings.Join(words, " ")); err != nil {
			return "", r.errorf(entry, "%w", err)
		}
	}
	return strings.Join(words, " "), nil
}

func (r yamlReader) jobs(node *yaml.Node, input *Inputfile) error {
	if node.Kind != yaml.SequenceNode {
		return r.errorf(node, "jobs must be a list")
	}
	if len(node.Content) > maxJobs {
		return r.errorf(node, "jobs: %d are more than the %d that a run can hold", len(node.Content), maxJobs)
	}
	for j, entry := range node.Content {
		job, err := r.job(resolve(entry), j)
		if err != nil {
			return err
		}
		input.Jobs = append(input.Jobs, job)
	}
	return nil
}

func (r yamlReader) job(node *yaml.Node, number int) (JobSpec, error) {
	job := JobSpec{Line: node.Line, SizeLine: node.Line}
	what := fmt.Sprintf("job %d", number)
	var options string
	err := r.mapping(node, what, func(key string, keyNode, value *yaml.Node) (err error) {
		switch key {
		case "name":
			job.NameLine = value.Line
			job.Name, err = r.jobName(value, number)
		case "launcher":
			job.Launcher, err = r.shellText(value, key)
		case "options":
			options, err = r.shellText(value, key)
		case "mpi":
			if job.MPI, err = r.scalar(value, key); err == nil {
				if err = checkMPIName(job.MPI, number); err != nil {
					err = r.errorf(value, "%w", err)
				}
			}
		case "np":
			job.SizeLine = value.Line
			job.Size, err = r.count(value, key, what)
		case "max":
			job.MaxLine = value.Line
			job.Max, err = r.count(value, key, what)
		case "command":
			job.CommandLine = value.Line
			job.Command, err = r.shellText(value, key)
		case "env":
			job.Env, err = r.env(value, what)
		case "dir":
			job.Dir, err = r.scalar(value, key)
		default:
			err = r.errorf(keyNode, "unknown key %s in %s; expected name, launcher, options, mpi, np, max, command, env or dir", key, what)
		}
		return err
	})
	if err != nil {
		return job, err
	}
	for _, required := range []struct {
		key     string
		missing bool
	}{{"launcher", job.Launcher == ""}, {"np", job.Size == 0}, {"command", job.Command == ""}} {
		if required.missing {
			return job, r.errorf(node, "%s has no %s", what, required.key)
		}
	}
	if job.Max != 0 && job.Max < job.Size {
		return job, Errorf(r.file, job.MaxLine, "max of %s: %d is less than its np, %d", what, job.Max, job.Size)
	}
	if options != "" {
		job.Launcher += " " + options
	}
	return job, nil
}

func (r yamlReader) jobName(value *yaml.Node, number int) (string, error) {
	text, err := r.scalar(value, "name")
	if err != nil {
		return "", err
	}
	name, err := jobName(text, number)
	if err != nil {
		return "", r.errorf(value, "%w", err)
	}
	return name, nil
}

// count returns the number of processes in a key of a job.
func (r yamlReader) count(value *yaml.Node, key, what string) (int, error) {
	text, err := r.scalar(value, key)
	if err != nil {
		return 0, err
	}
	n, err := parseCount(text)
	if err != nil {
		return 0, r.errorf(value, "%s of %s: %w", key, what, err)
	}
	return n, nil
}

func (r yamlReader) env(node *yaml.Node, what string) ([]string, error) {
	var env []string
	err := r.mapping(node, "env of "+what, func(key string, keyNode, value *yaml.Node) error {
		if !shell.IsVariableName(key) {
			return r.errorf(keyNode, "%q is not the name of a variable", key)
		}
		if value.Kind != yaml.ScalarNode || strings.ContainsRune(value.Value, 0) {
			return r.errorf(value, "variable %s must have one value", key)
		}
		env = append(env, key+"="+value.Value)
		return nil
	})
	return env, err
}
