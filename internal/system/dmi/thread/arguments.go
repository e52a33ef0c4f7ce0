package thread

import "fmt"

// CheckCreate returns the error that Create would return for its arguments, as far as this process knows it without a message. A function that
// starts Create calls it. Does not block.
func (s *System) CheckCreate(process int, stack int64) error {
	if stack < 0 {
		return fmt.Errorf("%w: a stack of %d bytes", ErrArgument, stack)
	}
	return s.checkProcess(process)
}

// CheckJoin is CheckCreate for Join.
func (s *System) CheckJoin(by *Thread, id ID) error {
	if by != nil && by.ID() == id {
		return fmt.Errorf("%w: a thread cannot join itself", ErrState)
	}
	return s.CheckThread(id)
}

// CheckThread is CheckCreate for Detach and Wake.
func (s *System) CheckThread(id ID) error { return s.checkProcess(int(id.Process)) }

// checkProcess returns an error unless the run has a process of DMI with an id.
func (s *System) checkProcess(id int) error {
	if id < 0 || id >= s.p.Ranks.End() {
		return fmt.Errorf("%w: %d, and the run has the processes 0 to %d", ErrNoProcess, id, s.p.Ranks.End()-1)
	}
	if !s.p.Present(s.p.Ranks.Member(id)) {
		return fmt.Errorf("%w: the program of rank %d has no DMI", ErrNoProcess, id)
	}
	return nil
}
