package router

import (
	"github.com/goacp/goacp/internal/network/driver"
	"github.com/goacp/goacp/internal/network/shm"
	"github.com/goacp/goacp/internal/network/tcp"
)

// registered has the fabrics of this build in the order in which a process opens them: a new
// fabric is a folder beneath internal/fabric and an entry here. The messenger is the first.
var registered = append([]driver.Driver{tcp.Driver, shm.Driver}, withMPI...)
