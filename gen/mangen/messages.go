package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goacp/goacp/internal/launch/explain"
)

// messagesPage writes the page of the messages, to which messages of the launchers refer, from docs/errors.md.
func messagesPage(root string, files map[string]string) error {
	text, err := os.ReadFile(filepath.Join(root, "docs", "errors.md"))
	if err != nil {
		return err
	}
	p := newPage(explain.ManualPage, 7, []string{explain.ManualPage}, "what messages of GoACP mean, and what to do")
	p.heading("Description")
	p.paragraph(plain("A message begins with the program that writes it. Words that depend on the run, such as names and numbers, are … here: " +
		"search for the words beside them."))
	messages := 0
	for line := range strings.Lines(string(text)) {
		if title, is := strings.CutPrefix(line, "## "); is {
			p.heading(strings.TrimSpace(title))
		}
		columns := cells(strings.TrimSpace(line))
		if !strings.HasPrefix(line, "| ") || len(columns) != 3 || columns[0] == "message" || strings.HasPrefix(columns[0], "---") {
			continue
		}
		p.item(bold(strings.Trim(columns[0], "`")), markdownText(columns[1]+". "+strings.ToUpper(columns[2][:1])+columns[2][1:]+"."))
		messages++
	}
	if messages == 0 {
		return fmt.Errorf("docs/errors.md has no messages")
	}
	p.heading("See also")
	p.paragraph(bold("acprun") + "(1), " + bold("macprun") + "(1), " + bold("acpstat") + "(1), " + bold("acp-environment") + "(7)")
	p.add(files)
	return nil
}
