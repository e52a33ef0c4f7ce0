//go:build browser

package tests

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var updateScreenshots = flag.Bool("update", false, "write the screenshots of the manual")

// photograph lets Chromium write a picture of a page.
func photograph(t *testing.T, page, picture, size string, args ...string) {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("chromium is not installed: ./bootstrap --build --screenshots")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := os.MkdirAll(filepath.Dir(picture), 0o755); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=3000",
		"--user-data-dir=" + t.TempDir(), "--window-size=" + size, "--screenshot=" + picture}, args...)
	if out, err := exec.CommandContext(ctx, chromium, append(args, "file://"+page)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if info, err := os.Stat(picture); err != nil || info.Size() < 10<<10 || info.Size() > 1<<20 {
		t.Errorf("the picture: %v, %v", info, err)
	}
}

// TestScreenshotOfTrace photographs the page of -trace of the run of docs/first-coupling.md, with more steps and some work in each. The
// sea is the faster model.
func TestScreenshotOfTrace(t *testing.T) {
	r := newReader(t)
	for _, a := range actions(t, "first-coupling.md", "C") {
		if a.file != "" {
			r.sandbox.Write(a.file, a.text)
		}
	}
	for model, work := range map[string]string{"sea": "2000 + 4000 * (step % 5)", "air": "15000"} {
		source, err := os.ReadFile(filepath.Join(r.sandbox.Dir, model+".c"))
		if err != nil {
			t.Fatal(err)
		}
		text := string(source)
		for _, change := range [][2]string{{"STEPS = 20 ", "STEPS = 400 "}, {"step++) {", "step++) {\n        usleep(" + work + ");"}} {
			if strings.Count(text, change[0]) != 1 {
				t.Fatalf("%s.c has %q %d times, expected once", model, change[0], strings.Count(text, change[0]))
			}
			text = strings.Replace(text, change[0], change[1], 1)
		}
		r.sandbox.Write(model+".c", text)
		r.sandbox.Must("acpcc", "-g", "-include", "unistd.h", "-o", model, model+".c")
	}
	r.sandbox.Must("macprun", "-trace", "run.html", "coupled.yaml")
	picture := filepath.Join(t.TempDir(), "trace.png")
	if *updateScreenshots {
		picture = suite.Source("docs", "pictures", "trace.png")
	}
	photograph(t, filepath.Join(r.sandbox.Dir, "run.html"), picture, "900,1750")
}

// TestScreenshotsOfSite photographs five pages of the site, in both themes and in two widths, into build/screenshots.
func TestScreenshotsOfSite(t *testing.T) {
	build := filepath.Dir(filepath.Dir(suite.Bin(t, "acprun")))
	for _, page := range []string{"index", "first-coupling", "look", "launching", "errors"} {
		for theme, scheme := range map[string]string{"light": "1", "dark": "0"} {
			at := filepath.Join(build, "site", page+".html")
			for width, shot := range map[string]struct{ page, size string }{"1400": {at, "1400,1000"}, "400": {phone(t, at), "500,900"}} {
				picture := filepath.Join(build, "screenshots", page+"-"+theme+"-"+width+".png")
				photograph(t, shot.page, picture, shot.size, "--blink-settings=preferredColorScheme="+scheme)
			}
		}
	}
}

// phone returns a page that shows another one on a screen of 400 x 900 pixels. A window of Chromium has at least 500.
func phone(t *testing.T, page string) string {
	t.Helper()
	frame := filepath.Join(t.TempDir(), "phone.html")
	text := `<!DOCTYPE html><meta name="color-scheme" content="light dark"><body style="margin: 0">` +
		`<iframe src="file://` + page + `" width="400" height="900" style="border: 0"></iframe>`
	if err := os.WriteFile(frame, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return frame
}
