// The interface of Global Arrays for C++.
#include <mpi.h>

#include <ga++.h>

#include <cstdio>
#include <vector>

int main(int argc, char **argv) {
  GA::Initialize(argc, argv, 1 << 18, 1 << 18, C_DBL);
  int self = GA::SERVICES.nodeid(), procs = GA::SERVICES.nodes();
  int dims[2] = {40, 50}, lo[2] = {3, 4}, hi[2] = {36, 45}, ld = 42;
  std::vector<double> buf(34 * 42, self + 1.0);
  double one = 1;

  GA::GlobalArray *array = GA::SERVICES.createGA(C_DBL, 2, dims, const_cast<char *>("array"), NULL);
  array->zero();
  array->acc(lo, hi, &buf[0], &ld, &one);
  GA::SERVICES.sync();
  array->get(lo, hi, &buf[0], &ld);
  for (size_t i = 0; i < buf.size(); i++)
    if (buf[i] != procs * (procs + 1) / 2.0)
      GA::SERVICES.error(const_cast<char *>("wrong sum"), static_cast<int>(i));
  GA::SERVICES.sync();
  array->destroy();
  if (self == 0)
    std::printf("%d processes agree\n", procs);
  GA::Terminate(); // ends MPI as well
}
