#import "HBLog.h"
#import <os/log.h>

void HBLog(NSString *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    NSString *line = [[NSString alloc] initWithFormat:format arguments:arguments];
    va_end(arguments);
    os_log(OS_LOG_DEFAULT, "%{private}@", line);
}
