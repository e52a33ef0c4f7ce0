// The painter: an ACP program in Go, without MPI, that writes pictures of the lake and the air while they run. The
// description of the run attaches it to them: neither of them knows it.
//
//	acpgo -o painter ./mesh/painter
//	macprun mesh/picture.yaml
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/goacp/goacp/acp"
	"github.com/goacp/goacp/couple"
)

var (
	folder    = flag.String("to", ".", "the folder for the pictures")
	triangles = flag.Int("triangles", 648, "triangles of the lake")
	columns   = flag.Int("columns", 16, "columns of the air")
	rows      = flag.Int("rows", 12, "rows of the air")
	steps     = flag.Int("steps", 400, "steps of the models")
	every     = flag.Int("every", 50, "steps between two pictures, as the description of the run says")
	hold      = flag.String("hold", "", "wait before the picture in the middle until this file exists, so that acpstat can look at the run")
)

func main() {
	flag.Parse()
	if *triangles < 1 || *columns < 1 || *rows < 1 || *steps < 0 || *every < 1 {
		fmt.Fprintln(os.Stderr, "painter: -triangles, -columns, -rows and -every are at least 1, and -steps at least 0")
		os.Exit(2)
	}
	p, err := acp.Init(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	pictures, err := paint(context.Background(), p)
	if err != nil {
		// The others cannot go on without this rank.
		fmt.Fprintln(os.Stderr, err)
		p.Abort(err.Error())
		os.Exit(1)
	}
	fmt.Printf("painter: %d pictures, the last one is %s\n", len(pictures), pictures[len(pictures)-1])
	if err := p.Finalize(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// models is what the painter gets of the lake and the air.
type models struct {
	corners   []float64 // x and y of the three corners of each triangle
	lake, air []float64 // temperatures
}

// paint writes a picture of each step that the models send, and returns the names of the files.
func paint(ctx context.Context, p *acp.Process) (pictures []string, err error) {
	painter, err := couple.NewModel(p, "painter", nil)
	if err != nil {
		return nil, err
	}
	m := models{make([]float64, 6**triangles), make([]float64, *triangles), make([]float64, *columns**rows)}
	mesh, grid := couple.Ranges{{N: *triangles}}, couple.Ranges{{N: *columns * *rows}}
	_, err = couple.NewField(painter, "corners", m.corners, mesh, 6)
	_, err1 := couple.NewField(painter, "lake", m.lake, mesh, 1)
	_, err2 := couple.NewField(painter, "air", m.air, grid, 1)
	if err := errors.Join(err, err1, err2); err != nil {
		return nil, err
	}
	links, err := painter.Open(ctx)
	if err != nil {
		return nil, err
	}
	var at canvas
	for step := 0; step <= *steps; step += *every {
		if err := links.Receive(ctx, step); err != nil {
			return nil, err
		}
		if step == 0 {
			at = newCanvas(m.corners, *columns, *rows)
		}
		if step == *steps / *every / 2 * *every && *hold != "" {
			await(*hold)
		}
		name := filepath.Join(*folder, fmt.Sprintf("picture-%04d.png", step))
		if err := at.write(name, m.lake, m.air); err != nil {
			return nil, err
		}
		pictures = append(pictures, name)
	}
	return pictures, links.Close(ctx)
}

// await waits until a file exists.
func await(file string) {
	for {
		if _, err := os.Stat(file); err == nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}
