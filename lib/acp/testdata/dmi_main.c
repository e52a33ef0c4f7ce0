// Ends DMI_main in a way that its argument names.
#include <dmi_api.h>

#include <pthread.h>

void DMI_function(void *page_ptr, int64_t size, void *out_ptr, int64_t out_size, void *in_ptr, int64_t in_size, int8_t tag) {
  (void)page_ptr, (void)size, (void)out_ptr, (void)out_size, (void)in_ptr, (void)in_size, (void)tag;
  pthread_exit(NULL);
}

int64_t DMI_thread(int64_t addr) {
  if (addr == 0)
    DMI_suspend(NULL);
  for (;;) {
    int32_t id;
    DMI_CATCH(DMI_rank(&id));
  }
}

void DMI_main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "return";
  DMI_thread_t t;
  int64_t at;
  outn("DMI_main");
  if (strcmp(how, "exit") == 0)
    exit(0);
  if (strcmp(how, "status") == 0)
    exit(7);
  if (strcmp(how, "error") == 0)
    error();
  if (strcmp(how, "catch") == 0)
    catch(DMI_mmap(&at, 0, 1, NULL));
  if (strcmp(how, "pthread_exit") == 0)
    pthread_exit(NULL);
  if (strcmp(how, "function") == 0) {
    catch(DMI_mmap(&at, 8, 1, NULL));
    catch(DMI_atomic(at, 8, NULL, 0, NULL, 0, 0, DMI_PUT, NULL));
  }
  if (strcmp(how, "threads") == 0)
    for (int i = 0; i < 4; i++)
      catch(DMI_create(&t, i % 2, i / 2, 0, NULL));
}
