/*
 * The Mandelbrot set. Threads take bands of rows one after the other, so that bands that take longer cost no time.
 *
 *     dmimw -n 2 ./mandel_dmi 2 2 640 480 48 1000 1
 *
 * NODES THREADS WIDTH HEIGHT TASKS LIMIT DRAW: the rows are cut into TASKS bands, LIMIT is the largest number of iterations, and
 * with DRAW 1 process 0 writes the image to mandel.pgm. The image is compared with one that a single thread computes.
 */
#include "dmi_api.h"

struct shared {
  int64_t width, height, tasks, limit, next, image;
};

static int32_t iterations(const struct shared *s, int64_t column, int64_t row) {
  double x0 = -2 + 3 * (double)column / (double)s->width, y0 = -1 + 2 * (double)row / (double)s->height, x = 0, y = 0;
  int32_t n = 0;
  for (; n < s->limit && x * x + y * y <= 4; n++) {
    double next = x * x - y * y + x0;
    y = 2 * x * y + y0;
    x = next;
  }
  return n;
}

/* The first row of a band. The first height % tasks bands have one row more. */
static int64_t first_row(const struct shared *s, int64_t task) {
  int64_t more = s->height % s->tasks;
  return task * (s->height / s->tasks) + (task < more ? task : more);
}

static void draw(const struct shared *s, const int32_t *image) {
  FILE *f = fopen("mandel.pgm", "wb");
  if (f == NULL) {
    perror("mandel.pgm");
    error();
  }
  fprintf(f, "P5\n%ld %ld\n255\n", (long)s->width, (long)s->height);
  for (int64_t i = 0; i < s->width * s->height; i++)
    putc(image[i] == s->limit ? 0 : 255 - image[i] % 128, f);
  if (fclose(f) != 0) {
    perror("mandel.pgm");
    error();
  }
}

void DMI_main(int argc, char **argv) {
  struct shared s;
  int64_t at;
  if (argc != 8) {
    outn("usage: %s NODES THREADS WIDTH HEIGHT TASKS LIMIT DRAW", argv[0]);
    error();
  }
  s.width = atoi(argv[3]);
  s.height = atoi(argv[4]);
  s.tasks = atoi(argv[5]);
  s.limit = atoi(argv[6]);
  if (s.width <= 0 || s.height <= 0 || s.tasks <= 0 || s.limit <= 0) {
    outn("%s: expected WIDTH, HEIGHT, TASKS and LIMIT greater than 0", argv[0]);
    error();
  }
  int64_t row = s.width * (int64_t)sizeof(int32_t);
  catch(DMI_mmap(&at, sizeof s, 1, NULL));
  catch(DMI_mmap(&s.next, sizeof(int64_t), 1, NULL));
  catch(DMI_mmap(&s.image, row, s.height, NULL));
  catch(DMI_write(at, sizeof s, &s, DMI_EXCLUSIVE, NULL));
  catch(DMI_rescale(at, atoi(argv[1]), atoi(argv[2])));

  int32_t *image = malloc((size_t)(row * s.height));
  catch(DMI_read(s.image, row * s.height, image, DMI_GET, NULL));
  int64_t sum = 0;
  for (int64_t i = 0; i < s.width * s.height; i++) {
    if (image[i] != iterations(&s, i % s.width, i / s.width)) {
      outn("column %ld of row %ld is wrong: %d", (long)(i % s.width), (long)(i / s.width), image[i]);
      error();
    }
    sum += image[i];
  }
  outn("%ld x %ld: the image is right, %ld iterations", (long)s.width, (long)s.height, (long)sum);
  if (atoi(argv[7]) == 1)
    draw(&s, image);
  free(image);
  catch(DMI_munmap(s.image, NULL));
  catch(DMI_munmap(s.next, NULL));
  catch(DMI_munmap(at, NULL));
}

int32_t DMI_scaleunit(int my_rank, int pnum, int64_t at) {
  struct shared s;
  int64_t task;
  (void)pnum;
  catch(DMI_read(at, sizeof s, &s, DMI_GET, NULL));
  bind_to_cpu(my_rank % PROCNUM);
  int64_t row = s.width * (int64_t)sizeof(int32_t);
  int32_t *band = malloc((size_t)(row * (s.height / s.tasks + 1)));
  for (;;) {
    catch(DMI_fad(s.next, 1, &task, DMI_PUT, NULL));
    if (task >= s.tasks)
      break;
    int64_t first = first_row(&s, task), rows = first_row(&s, task + 1) - first;
    for (int64_t i = 0; i < rows * s.width; i++)
      band[i] = iterations(&s, i % s.width, first + i / s.width);
    catch(DMI_write(s.image + first * row, rows * row, band, DMI_EXCLUSIVE, NULL));
  }
  free(band);
  return 0;
}
